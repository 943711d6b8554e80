// npm's redis-lock 0.1.4: its release deletes the key if its own clock says that the lease is not over, without looking
// whose it is. https://github.com/errorception/redis-lock/issues/29. REPAIRED=1 releases by a script that looks.
//
// Install: npm install --no-save redis-lock@0.1.4 ioredis@5.9.3
const { connect, serve, sleep, version } = require("./attach");

let redis, key, lease, lock, done;

serve({
  async prepare({ addresses, name, lease_ms }) {
    redis = await connect(addresses[0]);
    [key, lease] = [name, lease_ms];
    if (process.env.REPAIRED) repair(redis);
    lock = require("redis-lock")(redis, 20);
    return { lock: version("redis-lock") + (process.env.REPAIRED ? ", repaired" : "") };
  },
  // The library waits without end. A lock that comes after the wait is given back.
  acquire({ wait_ms }) {
    return new Promise((resolve) => {
      let over = false;
      lock(key, lease, (release) => (over ? release() : resolve(!!(done = release))));
      sleep(wait_ms + 50).then(() => resolve(!(over = true)));
    });
  },
  release: () => new Promise((resolve, reject) => done((error) => (error ? reject(error) : resolve()))),
});

// repair gives the client a value of its own for each lock, and lets it delete no other's.
function repair(redis) {
  const [set, values] = [redis.set.bind(redis), {}];
  redis.set = (key, value, ...rest) => set(key, (values[key] = require("crypto").randomUUID()), ...rest);
  redis.del = (key, callback) =>
    redis.eval('return redis.call("get", KEYS[1]) == ARGV[1] and redis.call("del", KEYS[1])', 1, key, values[key], callback);
}
