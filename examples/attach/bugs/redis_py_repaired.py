"""redis-py's own Lock, repaired in two things: a release whose request or answer is lost can be repeated, as in
https://github.com/redis/redis-py/pull/4258, and an acquire whose answer is lost removes what it may have left.

Install: apt-get install -y python3-redis
"""
import os
import sys

import redis
from redis.exceptions import LockError, LockNotOwnedError
from redis.lock import Lock

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from redis_py import main


class Repaired(Lock):
    def do_acquire(self, token):
        try:
            return super().do_acquire(token)
        except redis.RedisError:
            self.clean_up(token)
            raise

    def clean_up(self, token):
        try:
            self.do_release(token)
        except redis.RedisError:
            pass

    def release(self):
        token = self.local.token
        if token is None:
            raise LockError("Cannot release an unlocked lock")
        try:
            self.do_release(token)
        except LockNotOwnedError:
            self.local.token = None
            raise
        self.local.token = None


if __name__ == "__main__":
    main(Repaired, "redis-py Lock " + redis.__version__ + ", repaired")
