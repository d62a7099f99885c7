"""The seed of a test's random choices: printed, so that a failure can be repeated with ROOMLINE_SEED."""

import os
import random


def choices(test=""):
    """A generator with the seed in ROOMLINE_SEED, or with a new one. Tests with different names choose differently."""
    seed = int(os.environ.get("ROOMLINE_SEED") or random.randrange(1 << 32))
    print(f"ROOMLINE_SEED={seed}")
    return random.Random(f"{seed} {test}")
