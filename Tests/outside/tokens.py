"""Tokens for channels of a broker, made with PyJWT and the channel's secret."""

import sqlite3
import time

import jwt

EVERYTHING = {".*": {"publish": True, "subscribe": True, "history": 100}}


def secret(broker, channel="default"):
    """The channel's current secret, from the control file."""
    with sqlite3.connect(f"file:{broker.data / 'control.sqlite'}?mode=ro", uri=True) as database:
        query = "SELECT text FROM channel_secret WHERE channel = ? AND position = 0"
        return database.execute(query, (channel,)).fetchone()[0]


def token(broker, channel="default", *, key=None, valid_for=3600, permissions=None, **claims):
    """A token that lets whoever shows it do everything, unless `permissions` says otherwise."""
    claims = {"channel": channel, "exp": int(time.time()) + valid_for, "permissions": permissions or EVERYTHING, **claims}
    return jwt.encode(claims, key or secret(broker, channel), algorithm="HS256")
