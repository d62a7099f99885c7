"""Keys and credentials of NATS, as its own tools `nk` and `nsc` make them: Ed25519 keys in base32, and tokens that they sign.

https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/nkey_auth
"""

import base64
import binascii
import json
import subprocess
import time
import uuid

SEED, KINDS = 18, {"operator": 14, "account": 0, "user": 20}


def _base64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _openssl(*arguments, data=None):
    return subprocess.run(["openssl", *arguments], input=data, check=True, capture_output=True).stdout


class Key:
    """A new key of an operator, an account or a user."""

    def __init__(self, kind, directory):
        self.kind, self.path = kind, directory / f"{uuid.uuid4()}.pem"
        _openssl("genpkey", "-algorithm", "ed25519", "-out", self.path)
        # the key itself is at the end of either form
        seed = _openssl("pkey", "-in", self.path, "-outform", "DER")[-32:]
        public = _openssl("pkey", "-in", self.path, "-pubout", "-outform", "DER")[-32:]
        prefix = KINDS[kind] << 3
        self.public = self._text(bytes([prefix]) + public)
        self.seed = self._text(bytes([SEED << 3 | prefix >> 5, (prefix & 31) << 3]) + seed)

    @staticmethod
    def _text(data):
        return base64.b32encode(data + binascii.crc_hqx(data, 0).to_bytes(2, "little")).decode().rstrip("=")

    def sign(self, subject, name, claims):
        """A token about another key, or about this one."""
        header = _base64(json.dumps({"typ": "JWT", "alg": "ed25519-nkey"}).encode())
        body = {"jti": str(uuid.uuid4()), "iat": int(time.time()), "iss": self.public, "name": name, "sub": subject.public}
        body["nats"] = {"type": subject.kind, "version": 2, **claims}
        text = f"{header}.{_base64(json.dumps(body).encode())}"
        message = self.path.with_suffix(".message")
        message.write_text(text)
        return f"{text}.{_base64(_openssl('pkeyutl', '-sign', '-rawin', '-inkey', self.path, '-in', message))}"


def credentials(token, key):
    """The file that nsc writes for a user."""
    return (
        f"-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n"
        f"-----BEGIN USER NKEY SEED-----\n{key.seed}\n------END USER NKEY SEED------\n"
    )
