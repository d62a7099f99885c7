"""Schemas/admin.openapi.yaml, ready to hold answers of the admin API to it."""

import json
import pathlib
import re

import jsonschema_rs
import yaml

FILE = pathlib.Path(__file__).resolve().parent.parent / "Schemas" / "admin.openapi.yaml"
DOCUMENT = yaml.safe_load(FILE.read_text(encoding="utf-8"))
BASE = "https://roomline.example/schemas/admin"
PREFIX = "/admin/v1"

_registry = jsonschema_rs.Registry([(BASE, {"$schema": "https://json-schema.org/draft/2020-12/schema", **DOCUMENT})])
_paths = [(re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), path) for path in DOCUMENT["paths"]]


class InvalidAnswer(AssertionError):
    """An answer that the document does not allow."""


def _resolved(node):
    while "$ref" in node:
        target = DOCUMENT
        for step in node["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        node = target
    return node


def _located(schema):
    """The schema with its references made those into the document."""
    if isinstance(schema, dict):
        return {key: BASE + value if key == "$ref" else _located(value) for key, value in schema.items()}
    return [_located(value) for value in schema] if isinstance(schema, list) else schema


def check(value, schema, what):
    validator = jsonschema_rs.Draft202012Validator(_located(schema), registry=_registry, validate_formats=True)
    for error in validator.iter_errors(value):
        place = "/".join(str(step) for step in error.instance_path) or "the body"
        raise InvalidAnswer(f"{what}: at {place}: {error.message}\n  {json.dumps(value)[:600]}")


def check_component(value, name):
    check(value, {"$ref": f"#/components/schemas/{name}"}, name)


def operation(method, target):
    """What the document says of a request, or None where there is no such path or method."""
    path = target.split("?")[0].removeprefix(PREFIX)
    for pattern, template in _paths:
        if pattern.fullmatch(path):
            return DOCUMENT["paths"][template].get(method.lower())
    return None


def check_answer(method, target, status, headers, body):
    """Raises InvalidAnswer unless the document allows this answer; returns the body, parsed."""
    what = f"{method} {target} {status}"
    media = (headers.get("Content-Type") or "").split(";")[0]
    found = operation(method, target)
    responses = found["responses"] if found else {"default": {"$ref": "#/components/responses/Problem"}}
    response = _resolved(responses.get(str(status), responses["default"]))
    for name, header in response.get("headers", {}).items():
        if headers.get(name) is None:
            raise InvalidAnswer(f"{what}: the header {name} is missing")
        check(headers[name], _resolved(header)["schema"], f"{what}: {name}")
    content = response.get("content")
    if content is None:
        if body:
            raise InvalidAnswer(f"{what}: it has a body: {body[:200]!r}")
        return None
    if media not in content:
        raise InvalidAnswer(f"{what}: it is {media or 'of no type'}, not {', '.join(content)}: {body[:200]!r}")
    if media == "text/event-stream":
        return body
    parsed = json.loads(body)
    check(parsed, content[media]["schema"], what)
    if status >= 400 and parsed["status"] != status:
        raise InvalidAnswer(f"{what}: the problem says {parsed['status']}")
    return parsed
