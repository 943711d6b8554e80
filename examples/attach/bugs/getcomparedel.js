// A lock as it is often written, in JavaScript: released by GET, compare, DEL. REPAIRED=1 releases by a script.
//
// Install: npm install --no-save ioredis@5.9.3
const { randomUUID } = require("crypto");
const { connect, serve, sleep } = require("./attach");

const script = 'if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0';
const repaired = !!process.env.REPAIRED;
let redis, key, lease, token;

serve({
  async prepare({ addresses, name, lease_ms }) {
    redis = await connect(addresses[0]);
    [key, lease] = [name, lease_ms];
    return { lock: repaired ? "compare and delete by a script, in JavaScript" : "GET, compare, DEL, in JavaScript" };
  },
  async acquire({ wait_ms }) {
    token = randomUUID();
    const until = Date.now() + wait_ms;
    while (!(await redis.set(key, token, "PX", lease, "NX"))) {
      if (Date.now() >= until) return false;
      await sleep(20);
    }
  },
  async release() {
    if (repaired) return (await redis.eval(script, 1, key, token)) === 1;
    return (await redis.get(key)) === token && (await redis.del(key)) === 1;
  },
});
