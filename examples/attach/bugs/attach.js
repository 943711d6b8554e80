// What the clients of this folder share: they read orders and write reports.
const { once } = require("events");
const readline = require("readline");

// serve carries out orders by the functions of a client: prepare, which returns the name of the lock, acquire, extend and
// release. A function that returns false, or throws an error for which notHeld is true, has failed.
exports.serve = ({ notHeld = () => false, ...client }) => {
  const carryOut = async ({ do: what, id, ...order }) => {
    if (what === "end") process.exit(0);
    if (what === "prepare") return say({ ready: true, protocol: 1, ...(await client.prepare(order)) });
    if (!client[what]) return say({ id, result: "unsupported" });
    try {
      say({ id, result: (await client[what](order)) === false ? "failed" : "ok" });
    } catch (error) {
      say({ id, result: notHeld(error) ? "failed" : "unknown", error: String(error.message).slice(0, 400) });
    }
  };
  const orders = readline.createInterface({ input: process.stdin });
  orders.on("line", (line) => carryOut(JSON.parse(line))).on("close", () => process.exit(0));
};

// connect returns a client of ioredis that is connected, and connects again by itself.
exports.connect = async (address) => {
  const Redis = require("ioredis");
  const redis = new Redis("redis://" + address);
  redis.on("error", () => {});
  await once(redis, "ready");
  return redis;
};

// version returns the name and the version of an installed package.
exports.version = (name) => {
  const [folder] = require.resolve(name).match(`.*node_modules/${name}/`);
  return `${name} ${JSON.parse(require("fs").readFileSync(folder + "package.json")).version}`;
};

const say = (report) => process.stdout.write(JSON.stringify(report) + "\n");
exports.say = say;
exports.sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
