import java.util.Scanner;
import java.util.concurrent.TimeUnit;
import java.util.regex.*;
import org.apache.curator.framework.*;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;

// A client of simrun attach: Curator's InterProcessMutex over ZooKeeper.
//
// Install: apt-get install -y default-jdk-headless libcurator-recipes-java (Debian 12 has Curator 5.4.0)
// Run:     simrun attach --store zookeeper -- java -XX:TieredStopAtLevel=1 -cp '/usr/share/java/*' Curator.java
class Curator {
  static volatile boolean held;

  public static void main(String[] args) throws Exception {
    InterProcessMutex mutex = null;
    for (Scanner in = new Scanner(System.in); in.hasNextLine(); ) {
      String order = in.nextLine(), id = field(order, "id"), what = field(order, "do");
      if (what.equals("end")) System.exit(0);
      if (what.equals("prepare")) {
        int session = Integer.parseInt(field(order, "lease_ms"));
        CuratorFramework client =
            CuratorFrameworkFactory.newClient(field(order, "addresses"), session, session, new RetryOneTime(50));
        client.getConnectionStateListenable().addListener((c, state) -> {
          if (!state.isConnected() && held) System.out.println("{\"lost\":true}");
        });
        client.start();
        client.blockUntilConnected();
        mutex = new InterProcessMutex(client, "/" + field(order, "name"));
        System.out.println("{\"ready\":true,\"protocol\":1,\"lock\":\"Curator InterProcessMutex 5.4.0\",\"reports_lost\":true}");
        continue;
      }
      String result;
      try {
        result = '"' + carryOut(mutex, what, field(order, "wait_ms")) + '"';
      } catch (Exception e) {
        String word = e instanceof IllegalMonitorStateException ? "failed" : "unknown"; // the former: not held
        result = '"' + word + "\",\"error\":\"" + String.valueOf(e).replaceAll("[^ -~]|[\"\\\\]", " ") + '"';
      }
      System.out.println("{\"id\":" + id + ",\"result\":" + result + '}');
    }
  }

  static String carryOut(InterProcessMutex mutex, String what, String wait) throws Exception {
    if (what.equals("extend")) return "unsupported";
    held = false;
    if (what.equals("release")) mutex.release();
    else if (!(held = mutex.acquire(Long.parseLong(wait), TimeUnit.MILLISECONDS))) return "failed";
    return "ok";
  }

  static String field(String order, String name) {
    Matcher m = Pattern.compile('"' + name + "\":\\[?\"?([^\\],\"}]*)").matcher(order);
    return m.find() ? m.group(1) : "";
  }
}
