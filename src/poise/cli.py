"""The command: `poise VERB`.

Results go to standard output, progress and explanations to standard error. With `--json`
exactly one JSON object is printed. Exit code 0: done and, where something is judged, good;
1: judged, and not good; 2: the input or the call is wrong, said in one sentence.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from poise.commands.outcome import WRONG, Outcome, Verb
from poise.errors import NotFound, PoiseError
from poise.files import must_be_writable

# one module a verb, imported only when it is asked for, so that `poise --help` is quick
VERBS = {
    "studio": "the web page where motions are made",
    "walk": "design a walk by its style",
    "imitate": "a person's captured walk on any humanoid",
    "events": "foot contact events of a recording",
    "plan": "plan a motion through contact phases, certified at every instant",
    "balance": "stand, squat, step, and be pushed, in simulation",
    "interact": "lead a walking robot by the hand, in simulation",
    "safe-area": "where a robot may put its feet, computed",
    "batch": "many motions, on all cores or on a cluster",
    "check": "judge a motion: limits, contacts, balance, physics",
    "view": "look at a motion: browser, film strip or video",
    "convert": "a motion file from one dialect to another",
    "robots": "list, show or add robots",
    "bench": "measure speed against bare library calls and against peers",
    "doctor": "what is installed, what works, what to do about the rest",
}


class Parser(argparse.ArgumentParser):
    """An argument parser that answers a wrong call with one sentence and exit code 2."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where the help is."""
        raise _WrongCall(f"{self.prog}: {message}. See: {self.prog} --help")


class _WrongCall(PoiseError):
    """The call itself cannot be understood."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in arguments
    try:
        outcome = _run(arguments)
        _say(outcome, as_json)
        sys.stdout.flush()
        return outcome.code
    except PoiseError as error:
        sentence = " ".join(str(error).split())
        _say(Outcome({"ok": False, "error": sentence}, "", WRONG), as_json)
        print(f"poise: {sentence}", file=sys.stderr)
        return WRONG
    except KeyboardInterrupt:
        print("poise: stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output went away, e.g. `poise ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(arguments: list[str]) -> Outcome:
    if not arguments or arguments[0] in ("-h", "--help"):
        return Outcome({"verbs": VERBS}, _overview())
    if arguments[0] == "--version":
        from poise import __version__

        return Outcome({"version": __version__}, f"poise {__version__}")
    name, rest = arguments[0], arguments[1:]
    if name not in VERBS:
        raise NotFound("verb of poise", name, list(VERBS))
    verb: Verb = importlib.import_module(f"poise.commands.{name.replace('-', '_')}").VERB
    parser = Parser(
        prog=f"poise {name}",
        description=verb.summary,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object and nothing else"
    )
    verb.arguments(parser)
    args = parser.parse_args(rest)
    _look_at_places(verb, args)
    return verb.run(args)


def _look_at_places(verb: Verb, args: argparse.Namespace) -> None:
    """Refuse what could not be written in the end."""
    for name in verb.motions + verb.files:
        path = getattr(args, name)
        if path is None:
            continue
        if name in verb.motions:
            from poise.io import dialect_for_writing

            dialect_for_writing(path, getattr(args, "to", None))
        must_be_writable(path)


def _say(outcome: Outcome, as_json: bool) -> None:
    if as_json:
        print(json.dumps(outcome.data, default=_plain, allow_nan=False))
    elif outcome.text:
        print(outcome.text)


def _plain(value: Any) -> Any:
    """Arrays and paths as JSON knows them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)


def _overview() -> str:
    width = max(map(len, VERBS))
    lines = [f"  {name.ljust(width)}  {summary}" for name, summary in VERBS.items()]
    return "\n".join(
        ["poise: balanced whole-body motion for any humanoid", "", *lines, ""]
        + ["`poise VERB --help` shows defaults and units; `--json` prints one JSON object."]
    )


if __name__ == "__main__":
    sys.exit(main())
