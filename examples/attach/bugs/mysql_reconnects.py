"""A lock of GET_LOCK whose connection is kept alive by ping, which connects again by default: the lock was the old
connection's. REPAIRED=1 is ../mysql.py.

Install: apt-get install -y mariadb-server python3-pymysql
Run:     simrun attach --store mysql -- /usr/bin/python3 mysql_reconnects.py
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from bugs.attach import serve  # noqa: E402
from mysql import Lock  # noqa: E402


class Reconnects(Lock):
    def extend(self, order):
        self.connection.ping()
        self.ask("1")


lock = Lock() if "REPAIRED" in os.environ else Reconnects()
serve(lock.prepare, lock.acquire, lock.release, lock.extend)
