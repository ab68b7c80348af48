"""The `usbip` command, run as a person would run it."""

import asyncio

from simulator.ports.usbip import UsbIpPort


async def attach(port: UsbIpPort) -> None:
    await _run(*port.address.split())


async def detach() -> None:
    """The checks attach one device at a time, so it is always at port 0 of the kernel's virtual hub."""
    await _run("usbip", "detach", "--port", "0")


async def _run(*command: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, f"{' '.join(command)}: {output.decode()}"
