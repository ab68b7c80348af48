"""The trial of `shoe-kiosk.service`: Debian's Chromium under the unit's sandbox, on a screen that is only in memory."""

import shutil

from tests.deploy.container import Say, clean_root, put_scripts, run_inside
from tests.hardware.guest_image import PROJECT

RELEASE = "bookworm"
PACKAGES = ("chromium", "cage", "xwayland", "libpam-systemd")

NO_SCREEN = """\
[Service]
StandardInput=null
TTYPath=
TTYReset=no
TTYVHangup=no
TTYVTDisallocate=no
Environment=WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1
"""
"""A container has neither a screen nor a terminal: cage draws into memory. The sandbox stays as it is."""

PAGE = """\
<!doctype html><title>board</title><h1 id="drawn"></h1><script>
  let frames = 0;
  const draw = () => { document.getElementById("drawn").textContent = ++frames; requestAnimationFrame(draw); };
  draw();
  setInterval(() => fetch(`/drawn?frames=${frames}&size=${innerWidth}x${innerHeight}`), 1000);
</script>
"""


def try_kiosk(say: Say) -> bool:
    with clean_root(RELEASE, say, *PACKAGES) as root:
        deploy, units = PROJECT / "deploy", root / "etc/systemd/system"
        shutil.copy(deploy / "systemd/shoe-kiosk.service", units)
        (units / "shoe-kiosk.service.d").mkdir()
        (units / "shoe-kiosk.service.d/no-screen.conf").write_text(NO_SCREEN, encoding="utf-8")
        shutil.copy(deploy / "sysusers.d/shoe-controller.conf", root / "usr/lib/sysusers.d")
        (root / "usr/lib/shoe-controller").mkdir()
        shutil.copy(deploy / "kiosk/shoe-kiosk", root / "usr/lib/shoe-controller")
        (root / "root/page").mkdir()
        (root / "root/page/index.html").write_text(PAGE, encoding="utf-8")
        put_scripts(root / "root", "kiosk_trial.sh")
        return run_inside(root, "kiosk_trial.sh", say)
