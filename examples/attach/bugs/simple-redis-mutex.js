// npm's simple-redis-mutex 1.2.0: a lock that gave up goes on trying, and takes the lock for nobody.
// https://github.com/AmrSaber/simple-redis-mutex/issues/6. REPAIRED=1 gives such a lock back.
//
// Install: npm install --no-save simple-redis-mutex@1.2.0 ioredis@5.9.3
const { connect, serve, version } = require("./attach");

let redis, prepared, release;

serve({
  async prepare(order) {
    prepared = order;
    redis = await connect(order.addresses[0]);
    return { lock: version("simple-redis-mutex") };
  },
  async acquire({ wait_ms }) {
    const { lock } = require("simple-redis-mutex");
    release = await lock(redis, prepared.name, { retryTimeMillis: 20, timeoutMillis: prepared.lease_ms, failAfterMillis: wait_ms || 15 });
  },
  release: () => release(),
  notHeld: (error) => /could not be acquire/.test(error.message),
});
