"""An advisory lock of PostgreSQL over a connection that is made again when it has ended, as pools and wrappers do: the
lock was the old session's. REPAIRED=1 is ../postgres.py.

Install: apt-get install -y postgresql-15 python3-psycopg2
Run:     simrun attach --store postgres -- /usr/bin/python3 postgres_reconnects.py
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import psycopg2  # noqa: E402

from bugs.attach import serve  # noqa: E402
from postgres import Lock  # noqa: E402


class Reconnects(Lock):
    def extend(self, order):
        try:
            self.ask("%s")
        except psycopg2.Error:
            self.connect()
            self.ask("%s")


lock = Lock() if "REPAIRED" in os.environ else Reconnects()
serve(lock.prepare, lock.acquire, lock.release, lock.extend)
