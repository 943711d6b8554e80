// npm's redis-semaphore 5.3.0: its Mutex takes a lock that it has lost again, and tells nobody.
// https://github.com/swarthy/redis-semaphore/issues/175. Version 5.3.1 repairs it.
//
// Install: npm install --no-save redis-semaphore@5.3.0 ioredis@5.9.3
const { connect, say, serve, version } = require("./attach");

let redis, prepared, mutex;

serve({
  async prepare(order) {
    prepared = order;
    redis = await connect(order.addresses[0]);
    return { lock: version("redis-semaphore") + " Mutex" };
  },
  acquire({ wait_ms }) {
    const { Mutex } = require("redis-semaphore");
    mutex = new Mutex(redis, prepared.name, {
      lockTimeout: prepared.lease_ms,
      acquireTimeout: wait_ms || 1000,
      acquireAttemptsLimit: wait_ms ? undefined : 1,
      retryInterval: 20,
      refreshInterval: prepared.lease_ms * 0.8, // the library's own
      onLockLost: () => say({ lost: true }),
    });
    return mutex.tryAcquire();
  },
  release: () => mutex.release(),
});
