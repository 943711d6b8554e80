// npm's @medusajs/locking-redis 2.18.0, and up to 2.20.1: all calls of execute are one owner, so that the release of a call
// whose lease is over deletes the lock of another. REPAIRED=1 takes version 2.21.2, in which each call has an owner of its
// own, renews its lease, and gives back what it took too late.
//
// Install: npm install --no-save --legacy-peer-deps @medusajs/locking-redis@2.18.0
//   locking-redis-repaired@npm:@medusajs/locking-redis@2.21.2 ioredis@5.9.3
const { connect, say, serve, version } = require("./attach");
const Module = require("module");

// The package needs an error and a function of Medusa's framework, which has more than a hundred packages.
class MedusaError extends Error {
  static Types = { CONFLICT: "conflict" };
  constructor(type, message) {
    super(message);
    this.name = "MedusaError";
  }
}
const load = Module._load;
Module._load = (name, ...rest) =>
  name === "@medusajs/framework/utils" ? { MedusaError, promiseAll: Promise.all.bind(Promise) } : load(name, ...rest);

const name = process.env.REPAIRED ? "locking-redis-repaired" : "@medusajs/locking-redis";
const { RedisLockingProvider } = require(name + "/dist/services/redis-lock");
let provider, key, finish, executed;

serve({
  async prepare(order) {
    provider = new RedisLockingProvider({ redisClient: await connect(order.addresses[0]) });
    key = order.name;
    return { lock: version(name) + " execute", lease_ms: 1000 }; // whole seconds
  },
  // The library waits for a second at least.
  acquire: ({ wait_ms }) =>
    new Promise((resolve, reject) => {
      const job = (signal) => {
        signal?.addEventListener("abort", () => say({ lost: true }));
        resolve(true);
        return new Promise((done) => (finish = done));
      };
      executed = provider.execute(key, job, { timeout: Math.ceil(wait_ms / 1000) || 1, expire: 1 });
      executed.catch(reject);
    }),
  async release() {
    finish();
    await executed;
  },
  notHeld: (error) => error instanceof MedusaError,
});
