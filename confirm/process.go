package confirm

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

// Program is a program that calls [Serve]: what client processes run.
type Program struct {
	// Command is the program and its arguments.
	Command []string
	// Env is added to the environment, each as "key=value".
	Env []string
	// Dir is where it is started, empty for the working directory of this process.
	Dir string
}

// process is a client process, as the driver has it.
type process struct {
	name    string
	command *exec.Cmd
	in, out *os.File      // its orders, and its reports
	words   words         // what it prints
	over    chan struct{} // closed when nobody listens any more
	orders  *json.Encoder
	clock   bool // the lock has taken the process's clock
}

// timeToStart is how long a client process may take until it has made its lock: a test may do much before it does.
const timeToStart = time.Minute

// said is a report of a client process, or its end.
type said struct {
	client string
	report
	end error
}

// startClient starts a client process and waits until it has made its lock.
func startClient(program Program, o outfit, heard chan<- said) (*process, error) {
	p := &process{name: o.Name, command: exec.Command(program.Command[0], program.Command[1:]...), over: make(chan struct{})}
	p.command.Env, p.command.Dir = append(append(os.Environ(), program.Env...), "GOMAXPROCS=2"), program.Dir
	p.command.Stdout, p.command.Stderr = &p.words, &p.words
	p.command.WaitDelay = time.Second   // a child of the process may hold its output open
	realserver.EndWithParent(p.command) // also while it is stopped
	if err := p.start(); err != nil {
		return nil, err
	}
	p.orders = json.NewEncoder(p.in)
	reports := json.NewDecoder(p.out)
	var first report
	err := p.out.SetReadDeadline(time.Now().Add(timeToStart))
	if err == nil {
		err = p.orders.Encode(o)
	}
	if err == nil {
		err = reports.Decode(&first)
	}
	if err == nil {
		err = p.out.SetReadDeadline(time.Time{})
	}
	if err == nil && !first.Ready {
		err = errors.New("its first report is another")
	}
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("the process of %s does not make its lock: %w\n%s", o.Name, err, p.words.String())
	}
	p.clock = first.Clock
	go p.listen(reports, heard)
	return p, nil
}

// start starts the process, with pipes beside its standard ones.
func (p *process) start() error {
	itsIn, in, err := os.Pipe()
	if err != nil {
		return err
	}
	out, itsOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, itsIn.Close(), in.Close())
	}
	p.in, p.out = in, out
	p.command.ExtraFiles = []*os.File{itsIn, itsOut}
	err = p.command.Start()
	_, _ = itsIn.Close(), itsOut.Close() // the process has its own by now
	if err != nil {
		return errors.Join(err, in.Close(), out.Close())
	}
	return nil
}

// listen passes on what the process says.
func (p *process) listen(reports *json.Decoder, heard chan<- said) {
	for {
		s := said{client: p.name}
		s.end = reports.Decode(&s.report)
		select {
		case heard <- s:
		case <-p.over:
			return
		}
		if s.end != nil {
			return
		}
	}
}

func (p *process) hang(on bool) error { return realserver.Hang(p.command.Process, on) }

// kill kills the process, also one that is stopped. It may have ended.
func (p *process) kill() {
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
	_, _ = p.in.Close(), p.out.Close()
}

// words are the last of what a process prints. Several goroutines may write.
type words struct {
	mu   sync.Mutex
	last []byte
}

const mostWords = 8 << 10

func (w *words) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = append(w.last, b...)
	w.last = w.last[max(0, len(w.last)-mostWords):]
	return len(b), nil
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.TrimSpace(string(w.last))
}

// stop kills the process, and listens to it no more.
func (p *process) stop() {
	close(p.over)
	p.kill()
}
