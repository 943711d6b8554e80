// npm's redis-leader 0.1.0: its stop is GET, compare, DEL, and its renewal GET, compare, PEXPIRE.
// https://github.com/pierreinglebert/redis-leader/blob/master/index.js says so itself. REPAIRED=1 does both by scripts.
//
// Install: npm install --no-save redis-leader@0.1.0 ioredis@5.9.3
const { connect, say, serve, sleep, version } = require("./attach");

const Leader = require("redis-leader");
const { isLeader } = Leader.prototype;
let redis, prepared, leader;

serve({
  async prepare(order) {
    prepared = order;
    redis = await connect(order.addresses[0]);
    return { lock: version("redis-leader") };
  },
  acquire({ wait_ms }) {
    const own = (leader = new Leader(redis, { key: prepared.name, ttl: prepared.lease_ms, wait: 20 }));
    if (process.env.REPAIRED) repair(own);
    own.on("error", () => {});
    return new Promise((resolve) => {
      own.once("elected", () => {
        own.once("revoked", () => own.stopped || say({ lost: true }));
        resolve(true);
      });
      sleep(wait_ms + 15).then(() => own.renewId || (own.stop(), resolve(false)));
      own.elect();
    });
  },
  release: () =>
    new Promise((resolve, reject) => {
      leader.stopped = true;
      leader.once("revoked", () => resolve(true)).once("error", reject).once("gone", () => resolve(false));
      leader.isLeader = (done) =>
        isLeader.call(leader, (error, still) => (done(error, still), error ? reject(error) : still || resolve(false)));
      leader.stop();
    }),
});

// repair makes the renewal and the release one request each.
function repair(leader) {
  const ifOwn = (then, done) =>
    redis.eval(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call(${then}) end return 0`, 1, leader.key, leader.id, prepared.lease_ms, done);
  leader._renew = () =>
    ifOwn('"pexpire", KEYS[1], ARGV[2]', (error, renewed) => error || renewed || (clearInterval(leader.renewId), leader.emit("revoked")));
  leader.stop = () => {
    clearInterval(leader.renewId);
    clearTimeout(leader.electId);
    ifOwn('"del", KEYS[1]', (error, removed) => (error ? leader.emit("error", error) : leader.emit(removed ? "revoked" : "gone")));
  };
}
