"""The schemas of Schemas/wire, ready to validate frames with.

Shared by scripts/validate-frames and the tests in Tests/outside.
"""

import json
import pathlib
import re

import jsonschema_rs

DIRECTORY = pathlib.Path(__file__).resolve().parent.parent / "Schemas" / "wire"
BASE = "https://roomline.example/schemas/wire/"

SCHEMAS = {
    path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(DIRECTORY.glob("*.schema.json"))
}

_registry = jsonschema_rs.Registry([(schema["$id"], schema) for schema in SCHEMAS.values()])
_validators = {}
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


class InvalidFrame(AssertionError):
    """A frame that its schema does not allow."""


def parse(text):
    """Parses one frame for validation.

    The broker passes values on byte by byte, also those that no float holds (1e400) and strings that are no text
    ("\\ud800"). A validator stumbles over them, so every number with a fraction or an exponent becomes a small one, and
    every escaped surrogate a replacement character. No field of the protocol's own may have such a number, and 0.5 is
    refused there like any other.
    """

    def refuse(word):
        raise ValueError(f"{word} is not JSON")

    text = text if isinstance(text, str) else bytes(text).decode("utf-8")
    return json.loads(_SURROGATE.sub(r"\\ufffd", text), parse_float=lambda _: 0.5, parse_constant=refuse)


def validator(name):
    """The validator of one schema, by its file name without `.schema.json`."""
    if name not in _validators:
        _validators[name] = jsonschema_rs.Draft202012Validator(SCHEMAS[name], registry=_registry)
    return _validators[name]


def schema_name(direction, frame):
    """The schema that fits a frame's `type`, so that an error names the field and not "none of the 19 types fits".

    Frames without a type, and those whose type has no schema, go to the root.
    """
    kind = frame.get("type") if isinstance(frame, dict) else None
    if isinstance(kind, str):
        name = f"{direction}-{kind.replace('_', '-')}"
        if name in SCHEMAS:
            return name
    elif direction == "broker" and isinstance(frame, dict) and "error" in frame and "client_id" not in frame:
        return "broker-error"
    return direction


def validate(direction, frame, name=None):
    """Raises InvalidFrame unless `frame`, already parsed, is one that `direction` ("client" or "broker") may send."""
    name = name or schema_name(direction, frame)
    for error in validator(name).iter_errors(frame):
        place = "/".join(str(step) for step in error.instance_path) or "the frame"
        shown = json.dumps(frame, ensure_ascii=False)
        raise InvalidFrame(f"{name}: at {place}: {error.message}\n  {shown[:600]}")
