"""Records what a program declares, without an engine and without AWS."""

from rehearsal.recording.account import Answers, account_of
from rehearsal.recording.engine import Declared, Deployment
from rehearsal.recording.run import event_loops, run

__all__ = ["Answers", "Declared", "Deployment", "account_of", "event_loops", "run"]
