package stress

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/real/internal/tail"
)

// process is a client process.
type process struct {
	name    string
	command *exec.Cmd
	in, out *os.File
	orders  *json.Encoder
	words   tail.Buffer
	over    chan struct{} // closed once nothing listens to it any more
	dead    bool
	stopped bool
}

// heard is a report of a client process, or the end of the process.
type heard struct {
	*process
	realclient.Report
	end error
}

// timeToStart is the maximum time in which a client process makes its lock.
const timeToStart = time.Minute

// startProcess starts a client process and waits until it has made its lock.
func startProcess(program realclient.Program, o realclient.Outfit, to chan<- heard) (*process, error) {
	p := &process{name: o.Name, command: exec.Command(program.Command[0], program.Command[1:]...), over: make(chan struct{})}
	p.command.Env, p.command.Dir = append(append(os.Environ(), program.Env...), "GOMAXPROCS=2"), program.Dir
	p.command.Stdout, p.command.Stderr = &p.words, &p.words
	p.command.WaitDelay = time.Second
	realserver.EndWithParent(p.command)
	if err := p.start(); err != nil {
		return nil, err
	}
	p.orders = json.NewEncoder(p.in)
	reports := json.NewDecoder(p.out)
	var first realclient.Report
	err := errors.Join(p.out.SetReadDeadline(time.Now().Add(timeToStart)), p.orders.Encode(o))
	if err == nil {
		err = reports.Decode(&first)
	}
	if err == nil && !first.Ready {
		err = errors.New("its first report is another")
	}
	if err == nil {
		err = p.out.SetReadDeadline(time.Time{})
	}
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("the process of %s does not make its lock: %w\n%s", o.Name, err, p.words.String())
	}
	go p.listen(reports, to)
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

// listen passes on the reports of the process.
func (p *process) listen(reports *json.Decoder, to chan<- heard) {
	for {
		h := heard{process: p}
		h.end = reports.Decode(&h.Report)
		select {
		case to <- h:
		case <-p.over:
			return
		}
		if h.end != nil {
			return
		}
	}
}

// hang stops the process, or lets it go on.
func (p *process) hang(on bool) error {
	p.stopped = on
	return realserver.Hang(p.command.Process, on)
}

// kill kills the process, also one that is stopped. It may have ended.
func (p *process) kill() {
	if p.dead {
		return
	}
	p.dead = true
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
	_, _ = p.in.Close(), p.out.Close()
}

// stop kills the process, and stops listening to it.
func (p *process) stop() {
	close(p.over)
	p.kill()
}
