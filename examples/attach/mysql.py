"""A client of simrun attach: a lock of GET_LOCK in MySQL or MariaDB, which the connection has until it ends.

Install: apt-get install -y mariadb-server python3-pymysql
Run:     simrun attach --store mysql -- /usr/bin/python3 mysql.py
"""
import pymysql

from bugs.attach import serve


class Lock:
    def prepare(self, order):
        host, port = order["addresses"][0].split(":")
        self.login = dict(host=host, port=int(port), user=order["user"], password=order["password"], database=order["database"])
        self.name, self.connection = order["name"], None
        self.connect()
        return {"lock": "GET_LOCK, PyMySQL " + pymysql.__version__, "lease_ms": 0}

    def connect(self):
        if self.connection is None or not self.connection.open:
            self.connection = pymysql.connect(autocommit=True, **self.login)

    def ask(self, query, *values):
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT " + query, values)
            return cursor.fetchone()[0]

    def acquire(self, order):
        self.connect()
        return self.ask("GET_LOCK(%s, %s)", self.name, order["wait_ms"] / 1000) == 1

    def extend(self, order):
        """Looks whether the connection is there: the lock is its."""
        if not self.connection.open:
            return False
        try:
            self.ask("1")
        except pymysql.Error:  # the connection is over, and the lock with it
            return False

    def release(self, order):
        return self.connection.open and self.ask("RELEASE_LOCK(%s)", self.name) == 1


if __name__ == "__main__":
    lock = Lock()
    serve(lock.prepare, lock.acquire, lock.release, lock.extend)
