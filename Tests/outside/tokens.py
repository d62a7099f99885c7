"""Tokens for channels of a broker, signed as any JWT library signs them: HS256 with the channel's secret."""

import base64
import hashlib
import hmac
import json
import sqlite3
import time

EVERYTHING = {".*": {"publish": True, "subscribe": True, "history": 100}}


def secret(broker, channel="default"):
    """The channel's current secret, from the control file."""
    with sqlite3.connect(f"file:{broker.data / 'control.sqlite'}?mode=ro", uri=True) as database:
        query = "SELECT text FROM channel_secret WHERE channel = ? AND position = 0"
        return database.execute(query, (channel,)).fetchone()[0]


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sign(key, claims):
    parts = ".".join(base64url(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims))
    return f"{parts}.{base64url(hmac.new(key.encode(), parts.encode(), hashlib.sha256).digest())}"


def token(broker, channel="default", *, key=None, valid_for=3600, permissions=None, **claims):
    """A token that lets whoever shows it do everything, unless `permissions` says otherwise."""
    claims = {"channel": channel, "exp": int(time.time()) + valid_for, "permissions": permissions or EVERYTHING, **claims}
    return sign(key or secret(broker, channel), claims)
