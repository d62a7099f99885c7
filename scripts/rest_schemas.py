"""The schemas of Schemas/rest, ready to validate answers with; for the tests in Tests/outside."""

import json
import pathlib

import jsonschema_rs

DIRECTORY = pathlib.Path(__file__).resolve().parent.parent / "Schemas" / "rest"
BASE = "https://roomline.example/schemas/rest/"

SCHEMAS = {
    path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(DIRECTORY.glob("*.schema.json"))
}


def validate(name, answer):
    """Raises AssertionError unless `answer`, already parsed, is what its schema says."""
    for error in jsonschema_rs.Draft202012Validator(SCHEMAS[name]).iter_errors(answer):
        place = "/".join(str(step) for step in error.instance_path) or "the answer"
        raise AssertionError(f"{name}: at {place}: {error.message}\n  {json.dumps(answer)[:600]}")
