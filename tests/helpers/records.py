"""Claims of studies by what is on record of them."""

import json


def held_without_its_mechanism(study) -> set[str]:
    """The claims of a study whose null reading holds on record: they count as illustrations."""
    rows = json.loads(study.file("record.json"))["claims"]
    return {row["id"] for row in rows if row.get("null", {}).get("verdict") == "reproduced"}
