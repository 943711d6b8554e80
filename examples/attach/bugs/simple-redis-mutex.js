// npm's simple-redis-mutex 1.1.0: a lock that gave up goes on trying if an attempt is under way just then, and takes the
// lock for nobody: what the repair of https://github.com/AmrSaber/simple-redis-mutex/issues/6 left. REPAIRED=1 ends that too,
// and gives back what came too late.
//
// Install: npm install --no-save simple-redis-mutex@1.1.0 ioredis@5.9.3
const { connect, serve, version } = require("./attach");

const { lock } = require("simple-redis-mutex");
let redis, prepared, release;

serve({
  async prepare(order) {
    prepared = order;
    redis = await connect(order.addresses[0]);
    return { lock: version("simple-redis-mutex") + (process.env.REPAIRED ? ", repaired" : "") };
  },
  async acquire({ wait_ms }) {
    const client = process.env.REPAIRED ? repaired() : redis;
    const options = { retryTimeMillis: 20, timeoutMillis: prepared.lease_ms, failAfterMillis: wait_ms || 15 };
    try {
      release = await lock(client, prepared.name, options);
    } catch (error) {
      await client.giveUp?.();
      throw error;
    }
  },
  release: () => release(),
  notHeld: (error) => /could not be acquire/.test(error.message),
});

// repaired returns a client for one acquire, whose giveUp ends it.
function repaired() {
  let over, last;
  const removeOwn = 'return redis.call("get", KEYS[1]) == ARGV[1] and redis.call("del", KEYS[1])';
  const giveBack = () => redis.eval(removeOwn, 1, last[0], last[1]);
  return {
    eval: redis.eval.bind(redis),
    async set(...args) {
      if (over) return "OK"; // which ends the attempts
      const result = await redis.set(...(last = args));
      if (over) await giveBack();
      return result;
    },
    async giveUp() {
      over = true;
      await giveBack();
    },
  };
}
