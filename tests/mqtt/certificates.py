"""A little certificate authority for the tests, made with the openssl command."""

import subprocess
from pathlib import Path

from shoe_controller.mqtt.broker import TlsFiles


class Certificates:
    """An authority with a broker's and a table's certificate, and a second authority that nobody asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ca, self.other_ca = self._authority("house"), self._authority("stranger")
        self.broker = self._signed("broker", "house", "subjectAltName=IP:127.0.0.1")
        self.elsewhere = self._signed("elsewhere", "house", "subjectAltName=DNS:elsewhere.test")
        self.table = self._signed("table", "house", "extendedKeyUsage=clientAuth")
        self.impostor = self._signed("impostor", "stranger", "extendedKeyUsage=clientAuth")

    def files(self, name: str) -> TlsFiles:
        """The files with which `name` connects."""
        return TlsFiles(ca_file=self.ca, cert_file=self.folder / f"{name}.crt", key_file=self.folder / f"{name}.key")

    def encrypted_key(self, name: str) -> Path:
        key = self.folder / f"{name}.locked.key"
        self._openssl("ec", "-in", f"{name}.key", "-aes256", "-passout", "pass:secret", "-out", key.name)
        return key

    def _authority(self, name: str) -> Path:
        self._openssl("req", "-x509", *NEW_KEY, f"{name}.key", "-out", f"{name}.crt", "-subj", f"/CN={name}")
        return self.folder / f"{name}.crt"

    def _signed(self, name: str, authority: str, extension: str) -> Path:
        (self.folder / f"{name}.ext").write_text(extension)
        self._openssl("req", *NEW_KEY, f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        signer = ("-CA", f"{authority}.crt", "-CAkey", f"{authority}.key", "-CAcreateserial")
        self._openssl("x509", "-req", "-in", f"{name}.csr", *signer, "-extfile", f"{name}.ext", "-out", f"{name}.crt")
        return self.folder / f"{name}.crt"

    def _openssl(self, *arguments: str) -> None:
        subprocess.run(["/usr/bin/openssl", *arguments], cwd=self.folder, check=True, capture_output=True)


NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout")
