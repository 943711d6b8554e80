import java.util.Scanner;
import java.util.concurrent.TimeUnit;
import java.util.regex.*;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.config.Config;

// A client of simrun attach: Redisson's RLock. Debian has no package of Redisson: name its jar with all dependencies.
//
// Install: apt-get install -y default-jdk-headless
// Run:     simrun attach --store redis -- java -XX:TieredStopAtLevel=1 -cp /path/to/redisson-all.jar RedissonLock.java
class RedissonLock {
  public static void main(String[] args) {
    RLock lock = null;
    long lease = 0;
    for (Scanner in = new Scanner(System.in); in.hasNextLine(); ) {
      String order = in.nextLine(), id = field(order, "id"), what = field(order, "do");
      if (what.equals("end")) System.exit(0);
      if (what.equals("prepare")) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://" + field(order, "addresses"));
        config.useSingleServer().setConnectionMinimumIdleSize(1).setConnectionPoolSize(2);
        lock = Redisson.create(config).getLock(field(order, "name"));
        lease = Long.parseLong(field(order, "lease_ms"));
        System.out.println("{\"ready\":true,\"protocol\":1,\"lock\":\"Redisson RLock\"}");
        continue;
      }
      String result;
      try {
        result = '"' + carryOut(lock, what, field(order, "wait_ms"), lease) + '"';
      } catch (Exception e) {
        String word = e instanceof IllegalMonitorStateException ? "failed" : "unknown"; // the former: not held
        result = '"' + word + "\",\"error\":\"" + String.valueOf(e).replaceAll("[^ -~]|[\"\\\\]", " ") + '"';
      }
      System.out.println("{\"id\":" + id + ",\"result\":" + result + '}');
    }
  }

  static String carryOut(RLock lock, String what, String wait, long lease) throws Exception {
    if (what.equals("extend")) return "unsupported";
    if (what.equals("release")) lock.unlock();
    else if (!lock.tryLock(Long.parseLong(wait), lease, TimeUnit.MILLISECONDS)) return "failed";
    return "ok";
  }

  static String field(String order, String name) {
    Matcher m = Pattern.compile('"' + name + "\":\\[?\"?([^\\],\"}]*)").matcher(order);
    return m.find() ? m.group(1) : "";
  }
}
