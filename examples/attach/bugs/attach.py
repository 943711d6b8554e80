"""What the clients of this folder share: they read orders and write reports."""
import json
import sys


def serve(prepare, acquire, release, extend=None, not_held=()):
    """Carries out orders by the functions of a client: prepare, which returns the report of ready, acquire, extend and
    release. A function that returns False, or raises one of not_held, has failed."""
    functions = {"acquire": acquire, "extend": extend, "release": release}
    for line in iter(sys.stdin.readline, ""):
        order = json.loads(line)
        if order["do"] == "end":
            return
        if order["do"] == "prepare":
            say(ready=True, protocol=1, **prepare(order))
            continue
        function = functions[order["do"]]
        if function is None:
            say(id=order["id"], result="unsupported")
            continue
        try:
            say(id=order["id"], result="failed" if function(order) is False else "ok")
        except not_held as error:
            say(id=order["id"], result="failed", error=str(error)[:400])
        except Exception as error:  # the library does not say
            say(id=order["id"], result="unknown", error=str(error)[:400])


def connect(order):
    import redis  # clients of other stores do without

    host, port = order["addresses"][0].split(":")
    return redis.Redis(host=host, port=int(port))


def say(**report):
    print(json.dumps(report), flush=True)
