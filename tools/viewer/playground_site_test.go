package viewer

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/lab/builtin"
	"github.com/lockpick-dev/lockpick/playground"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// built is the directory of the playground: PLAYGROUND, or one that is built for these tests.
var built = sync.OnceValues(func() (string, error) {
	if dir := os.Getenv("PLAYGROUND"); dir != "" {
		_, err := os.Stat(filepath.Join(dir, "lockpick.wasm.gz"))
		return dir, err
	}
	dir, err := filepath.Abs("../../bin/playground")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "run", "-ldflags=-X testing.testBinary=1", "./build", "-o", dir)
	cmd.Dir = "../../playground"
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return dir, nil
})

// host is a static host of the playground. Change, if not nil, may answer in its place.
func host(t testing.TB, change func(w http.ResponseWriter, r *http.Request, dir string) bool) string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	files := http.FileServer(http.Dir(dir))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if change == nil || !change(w, r, dir) {
			files.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/"
}

// asWorker has this test binary serve as a worker process.
const asWorker = "LOCKPICK_VIEWER_WORKER"

// inOrder is a tape by which each select takes the order of its source, as in a browser: what the Go runtime draws there is not known.
type inOrder struct{ sim.Tape }

// ChooseSelect answers a decision about selects.
func (inOrder) ChooseSelect(sim.Decision) int { return 0 }

func serve() {
	resolve := func(cell json.RawMessage) (explore.Runner, error) {
		run, err := scenarios.Registry(builtin.Locks()).Resolve(cell)
		return func(how explore.Run) explore.Outcome {
			how.Tape = inOrder{how.Tape}
			return run(how)
		}, err
	}
	if err := explore.ServeStdio(resolve); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// onMachine is a session whose runs are made in worker processes of this machine, with what it tells.
func onMachine(t testing.TB) (*playground.Session, *[]any) {
	t.Helper()
	w, err := explore.Self()
	if err != nil {
		t.Fatal(err)
	}
	w.Env = []string{asWorker + "=1"}
	var told []any
	return &playground.Session{Known: scenarios.Registry(builtin.Locks()), Worker: w, Send: func(m any) { told = append(told, m) }}, &told
}

// last is the last message of a kind.
func last[T any](t testing.TB, told []any) (got T) {
	t.Helper()
	found := false
	for _, m := range told {
		if one, is := m.(T); is {
			got, found = one, true
		}
	}
	if !found {
		t.Fatalf("no %T among %d messages", got, len(told))
	}
	return got
}

// wait waits until an expression is true.
func (b *tab) wait(what, expression string) {
	b.Helper()
	for end := time.Now().Add(100 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if value[bool](b, expression) {
			return
		}
	}
	b.Fatalf("%s did not happen; the page says %q and %q", what, b.text("#status"), b.text("#trouble"))
}

// reach scrolls to an element that may be below the window, and clicks it.
func (b *tab) reach(selector string) {
	b.Helper()
	value[any](b, `document.querySelector(%s).scrollIntoView({block: "center"})`, selector)
	b.click(selector)
}

// searched waits until as many searches have ended, and the page is idle.
func (b *tab) searched(n int) {
	b.Helper()
	b.wait(fmt.Sprintf("search %d", n), fmt.Sprintf(`Number(document.documentElement.dataset.searched ?? 0) >= %d && document.querySelector("#stop").disabled`, n))
}

// drawn waits until the finding that is shown is drawn.
func (b *tab) drawn() {
	b.Helper()
	b.wait("the picture", `document.querySelector("#drawing").hidden && !document.querySelector("#picture").hidden && document.querySelector("#story").textContent !== ""`)
}
