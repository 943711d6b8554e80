// A client of simrun attach: npm's redlock, over ioredis.
//
// Install: npm install --no-save redlock@5.0.0-beta.2 ioredis@5.9.3
// Run:     simrun attach --store redis -- node redlock.js [package]
//
// Another package with the same interface may be named, such as @sesamecare-oss/redlock.
const Redis = require("ioredis");
const { once } = require("events");
const readline = require("readline");

const name = process.argv[2] || "redlock";
const { default: plain, Redlock = plain } = require(name);
const [folder] = require.resolve(name).match(`.*node_modules/${name}/`);
const { version } = JSON.parse(require("fs").readFileSync(folder + "package.json"));
const retryDelay = 50;
let redlock, prepared, lock;

async function carryOut({ do: what, id, wait_ms, ...order }) {
  if (what === "end") process.exit(0);
  if (what === "prepare") {
    prepared = order;
    const clients = order.addresses.map((address) => {
      const client = new Redis("redis://" + address);
      client.on("error", () => {}); // ioredis connects again by itself
      return client;
    });
    await Promise.all(clients.map((client) => once(client, "ready")));
    redlock = new Redlock(clients, { retryCount: 0, retryDelay, retryJitter: 0 });
    return say({ ready: true, protocol: 1, lock: `${name} ${version}` });
  }
  try {
    if (what === "acquire") {
      lock = await redlock.acquire([prepared.name], prepared.lease_ms, { retryCount: Math.floor(wait_ms / retryDelay) });
    } else if (what === "extend") {
      lock = await lock.extend(prepared.lease_ms);
    } else {
      await lock.release();
    }
    say({ id, result: "ok", until_ms: what === "release" ? undefined : lock.expiration });
  } catch (error) {
    say({ id, result: await resultOf(error), error: error.message });
  }
}

// redlock reports a lock that is not held and a connection that ended by the same error, with the reasons in its attempts.
async function resultOf(error) {
  if (error.name !== "ExecutionError") return "unknown";
  const last = await error.attempts.at(-1);
  const reasons = last ? [...last.votesAgainst.values()] : [];
  return reasons.every((reason) => reason.name === "ResourceLockedError") ? "failed" : "unknown";
}

const say = (report) => process.stdout.write(JSON.stringify(report) + "\n");
const orders = readline.createInterface({ input: process.stdin });
orders.on("line", (line) => carryOut(JSON.parse(line))).on("close", () => process.exit(0));
