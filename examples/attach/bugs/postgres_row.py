"""A lock that is a row of a table with a lease: an expired row is taken over, and the release deletes the row without looking whose
it is. REPAIRED=1 deletes the client's own row alone.

Install: apt-get install -y postgresql-15 python3-psycopg2
Run:     simrun attach --store postgres -- /usr/bin/python3 postgres_row.py
"""
import os
import time
import uuid

import psycopg2

from attach import serve

TABLE = "CREATE TABLE IF NOT EXISTS locks (name text PRIMARY KEY, holder text, expires_at timestamptz)"
ACQUIRE = """INSERT INTO locks VALUES (%s, %s, clock_timestamp() + %s * interval '1 ms') ON CONFLICT (name) DO UPDATE
SET holder = excluded.holder, expires_at = excluded.expires_at WHERE locks.expires_at < clock_timestamp()"""


class Client:
    def prepare(self, order):
        host, port = order["addresses"][0].split(":")
        self.login = dict(host=host, port=port, user=order["user"], password=order["password"], dbname=order["database"], sslmode="disable")
        self.name, self.lease, self.session = order["name"], order["lease_ms"], None
        self.execute(TABLE)
        return {"lock": "a row with a lease, psycopg2", "row": {"owner": "holder", "until": "expires_at"}}

    def execute(self, statement, *values):
        """Executes a statement, in a new session if the last one has ended, and returns how many rows it has changed."""
        if self.session is None or self.session.closed:
            self.session = psycopg2.connect(**self.login)
            self.session.autocommit = True
        with self.session.cursor() as cursor:
            cursor.execute(statement, values)
            return cursor.rowcount

    def acquire(self, order):
        until, self.token = time.monotonic() + order["wait_ms"] / 1000, uuid.uuid4().hex
        while not self.execute(ACQUIRE, self.name, self.token, self.lease):
            if time.monotonic() >= until:
                return False
            time.sleep(0.02)

    def release(self, order):
        if "REPAIRED" in os.environ:
            return self.execute("DELETE FROM locks WHERE name = %s AND holder = %s", self.name, self.token) == 1
        return self.execute("DELETE FROM locks WHERE name = %s", self.name) == 1


client = Client()
serve(client.prepare, client.acquire, client.release)
