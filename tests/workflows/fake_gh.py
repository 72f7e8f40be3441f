"""Plays `gh api` on a JSON file: pull requests, artifacts, comments; refuses what it is not asked
for by its form, as GitHub would."""

import argparse
import json
import os
import sys
from pathlib import Path
from urllib.parse import parse_qsl

WORLD = Path(os.environ["FAKE_GITHUB"])
REPOSITORY = "repos/owner/platform"
LONGEST = 65_536


def refuse(text):
    print(f"gh: {text}", file=sys.stderr)
    sys.exit(1)


def page(items, asked):
    size, number = int(asked["per_page"]), int(asked["page"])
    return items[(number - 1) * size : number * size]


def answer(world, method, path, asked, body):
    parts = path.removeprefix(f"{REPOSITORY}/").split("/")
    match (method, *parts):
        case ("GET", "pulls"):
            found = [one for one in world["pulls"] if one["head"]["label"] == asked["head"]]
            return page([one for one in found if one["state"] == asked["state"]], asked)
        case ("GET", "actions", "runs", _run, "artifacts"):
            listed = [
                {k: a[k] for k in ("id", "name", "size_in_bytes")} for a in world["artifacts"]
            ]
            return {"total_count": len(listed), "artifacts": page(listed, asked)}
        case ("GET", "actions", "artifacts", number, "zip"):
            (found,) = (one for one in world["artifacts"] if one["id"] == int(number))
            sys.stdout.buffer.write(bytes.fromhex(found["hex"]))
            sys.exit(0)
        case ("GET", "issues", number, "comments"):
            return page(world["comments"].get(number, []), asked)
        case ("POST", "issues", number, "comments"):
            comments = world["comments"].setdefault(number, [])
            ids = [one["id"] for all_ in world["comments"].values() for one in all_]
            bot = {"login": "github-actions[bot]"}
            comments.append({"id": max(ids, default=0) + 1, "user": bot, "body": sent(body)})
            return comments[-1]
        case ("PATCH", "issues", "comments", number):
            every = [one for all_ in world["comments"].values() for one in all_]
            (found,) = (one for one in every if one["id"] == int(number))
            found["body"] = sent(body)
            return found
        case _:
            return refuse("Not Found (HTTP 404)")


def sent(body):
    if len(body["body"]) > LONGEST:
        refuse("Validation Failed: body is too long (HTTP 422)")
    # As GitHub keeps it.
    return body["body"].rstrip("\n").replace("\n", "\r\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--method", default="GET")
    parser.add_argument("-f", action="append", default=[], dest="fields")
    parser.add_argument("--input")
    parser.add_argument("path")
    assert sys.argv[1] == "api"
    chosen = parser.parse_args(sys.argv[2:])
    body = json.load(sys.stdin) if chosen.input == "-" else None
    path, _, query = chosen.path.partition("?")
    asked = dict(parse_qsl(query)) | dict(one.split("=", 1) for one in chosen.fields)
    world = json.loads(WORLD.read_text())
    if world.get("down"):
        refuse("connection refused")
    world["calls"].append([chosen.method, path, asked])
    WORLD.write_text(json.dumps(world))
    told = answer(world, chosen.method, path, asked, body)
    WORLD.write_text(json.dumps(world))
    print(json.dumps(told))


main()
