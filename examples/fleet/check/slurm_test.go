package check

import (
	"crypto/rand"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// onSlurm has TestSlurm run. It needs Debian's packages slurm-wlm and munge, and root.
var onSlurm = flag.Bool("slurm", false, "run the examples of Slurm on a Slurm of one node, which the test starts")

// TestSlurm starts a Slurm of one node, submits a search in shards by submit.sh, and requeues one of the running shards. It goes on with
// what it has kept, and the merge comes to what one machine finds.
func TestSlurm(t *testing.T) {
	if !*onSlurm {
		t.Skip("make fleet-slurm runs it: it needs slurm-wlm, munge and root")
	}
	s := startSlurm(t)
	dir := t.TempDir()
	const schedules, all = "24576", 24 // blocks of each of four shards: some seconds
	out := filepath.Join(dir, "search")
	s.do(t, "cd "+dir+" && "+s.absolute(t, "../slurm/submit.sh"), "SHARDS=4", "CPUS=1", "SCENARIO=gc-pause", "LOCK=setpx", "RUNS="+schedules, "OUT="+out)

	// The first shard that has kept something goes back to the queue.
	state := filepath.Join(out, "gc-pause_setpx_1of4.search.json")
	eventually(t, "shard 1/4 has kept a block", func() bool {
		text, err := os.ReadFile(state)
		return err == nil && strings.Contains(string(text), `"blocks":{"0":`)
	})
	job := strings.Fields(s.do(t, `squeue -h -t R -o "%A %K" | awk '$2 == 1 { print $1 }'`))
	if len(job) != 1 {
		t.Fatalf("shard 1/4 does not run: %s", s.do(t, "squeue"))
	}
	s.do(t, "scontrol requeue "+job[0])
	eventually(t, "shard 1/4 is in the queue again", func() bool { return strings.Contains(s.do(t, "squeue -h -t PD -o %A"), job[0]) })
	kept, err := os.ReadFile(state)
	blocks := strings.Count(string(kept), `:{"schedules":256`)
	if err != nil || blocks < 1 || blocks >= all {
		t.Fatalf("it was not in mid-run: it has kept %d of %d blocks, %v", blocks, all, err)
	}
	eventually(t, "all jobs are done", func() bool {
		// Slurm has the shard wait for two minutes, from when its node has forgotten it: this is asked for until the shard runs.
		_, _ = run(t, s.dir, "scontrol update JobId="+job[0]+" StartTime=now", s.env()...)
		return s.do(t, "squeue -h") == ""
	})
	code, said := run(t, dir, "simrun run gc-pause --lock setpx --runs "+schedules+" --out one")
	if code != 1 {
		t.Fatalf("one machine: exit code %d\n%s", code, said)
	}
	if text := s.do(t, "diff -r "+filepath.Join(dir, "one")+" "+out+"-merged; echo the same"); text != "the same\n" {
		t.Errorf("diff -r says\n%s\n%s", text, s.do(t, "cat "+dir+"/*.log"))
	}
	if jobs := s.do(t, "scontrol show job "+job[0]); !strings.Contains(jobs, "Restarts=1 ") || !strings.Contains(jobs, "JobState=COMPLETED") {
		t.Errorf("the shard was not requeued and completed:\n%s", jobs)
	}
	t.Logf("requeued with %d of %d blocks; then diff -r with one machine is silent", blocks, all)
}

// slurm is a Slurm of one node.
type slurm struct{ dir string }

// startSlurm starts munged, slurmctld and slurmd, which end with the test. They have ports and sockets of their own.
func startSlurm(t *testing.T) *slurm {
	t.Helper()
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Fatalf("%v: install slurm-wlm and munge", err)
		}
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	s := &slurm{dir: t.TempDir()}
	path := func(name string) string { return filepath.Join(s.dir, name) }
	key := make([]byte, 128)
	_, _ = rand.Read(key) // it never fails
	port := 20000 + os.Getpid()%20000
	conf := fmt.Sprintf(`ClusterName=lockpick
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=%[2]s/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
SchedulerParameters=sched_min_interval=0,bf_interval=1
ReturnToService=2
KillWait=2
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=%[5]d State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`, host, s.dir, port, port+1, runtime.NumCPU())
	for _, f := range []struct {
		name string
		text []byte
		mode os.FileMode
	}{{"munge.key", key, 0o400}, {"slurm.conf", []byte(conf), 0o644}} {
		if err := os.WriteFile(path(f.name), f.text, f.mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"state", "spool"} {
		if err := os.Mkdir(path(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.start(t, "munged", "--foreground", "--force", "--num-threads=2", "--key-file="+path("munge.key"), "--socket="+path("munge.socket"),
		"--pid-file="+path("munged.pid"), "--log-file="+path("munged.log"), "--seed-file="+path("munge.seed"))
	eventually(t, "munged listens", func() bool { _, err := os.Stat(path("munge.socket")); return err == nil })
	s.start(t, "slurmctld", "-D", "-f", path("slurm.conf"))
	s.start(t, "slurmd", "-D", "-f", path("slurm.conf"), "-N", host)
	eventually(t, "the node is there", func() bool {
		_, out := run(t, s.dir, "sinfo -h -o %T", s.env()...)
		return strings.TrimSpace(out) == "idle"
	})
	return s
}

// start starts a server, which ends with the test, after those that were started later.
func (s *slurm) start(t *testing.T, name string, args ...string) {
	t.Helper()
	bin, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(s.dir, name+".out"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr, cmd.Env = log, log, append(os.Environ(), append(s.env(), "PATH="+bin+":"+os.Getenv("PATH"))...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		ended := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // that it was ended is no error
		ended.Stop()
		if text, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("%s:\n%s", name, text)
		}
		_ = log.Close() // it has been read
	})
}

func (s *slurm) env() []string { return []string{"SLURM_CONF=" + s.dir + "/slurm.conf"} }

func (s *slurm) absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// do runs a command of Slurm's, and returns what it prints.
func (s *slurm) do(t *testing.T, command string, env ...string) string {
	t.Helper()
	code, out := run(t, s.dir, command, append(s.env(), env...)...)
	if code != 0 {
		t.Fatalf("%s: exit code %d\n%s", command, code, out)
	}
	return out
}

// eventually waits until something holds, two minutes at most.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("in vain it was waited for: %s", what)
		}
	}
}
