// npm's redis-semaphore 5.3.0: its Mutex takes a lock that it has lost again, and does not report the loss.
// https://github.com/swarthy/redis-semaphore/issues/175. REPAIRED=1 takes version 5.3.1, which repairs it.
//
// Install: npm install --no-save redis-semaphore@5.3.0 redis-semaphore-repaired@npm:redis-semaphore@5.3.1 ioredis@5.9.3
const { connect, say, serve, version } = require("./attach");

const name = process.env.REPAIRED ? "redis-semaphore-repaired" : "redis-semaphore";
const { Mutex } = require(name);
let redis, prepared, mutex, lost;

serve({
  async prepare(order) {
    prepared = order;
    redis = await connect(order.addresses[0]);
    return { lock: version(name) + " Mutex", reports_lost: true };
  },
  acquire({ wait_ms }) {
    lost = false;
    mutex = new Mutex(redis, prepared.name, {
      lockTimeout: prepared.lease_ms,
      acquireTimeout: wait_ms || 1000,
      acquireAttemptsLimit: wait_ms ? undefined : 1,
      retryInterval: 20,
      refreshInterval: prepared.lease_ms * 0.8, // the library's own
      onLockLost: () => say({ lost: (lost = true) }),
    });
    return mutex.tryAcquire();
  },
  release: async () => {
    await mutex.release(); // which says nothing
    return !lost;
  },
});
