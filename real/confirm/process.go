package confirm

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

// process is a client process, as seen by the driver.
type process struct {
	name    string
	command *exec.Cmd
	in, out *os.File      // its orders, and its reports
	words   tail.Buffer   // its output
	over    chan struct{} // closed once nothing listens to it any more
	orders  *json.Encoder
	clock   bool // the lock uses the process's clock
}

// timeToStart is the maximum time in which a client process makes its lock: a test may do much before that.
const timeToStart = time.Minute

// reported is a report of a client process, or the end of the process.
type reported struct {
	client string
	realclient.Report
	end error
}

// startClient starts a client process and waits until it has made its lock.
func startClient(program realclient.Program, o realclient.Outfit, heard chan<- reported) (*process, error) {
	p, err := startProgram(program)
	if err != nil {
		return nil, err
	}
	p.name = o.Name
	reports := json.NewDecoder(p.out)
	var first realclient.Report
	err = p.out.SetReadDeadline(time.Now().Add(timeToStart))
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

// listen passes on the reports of the process.
func (p *process) listen(reports *json.Decoder, heard chan<- reported) {
	for {
		r := reported{client: p.name}
		r.end = reports.Decode(&r.Report)
		select {
		case heard <- r:
		case <-p.over:
			return
		}
		if r.end != nil {
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

// stop kills the process, and stops listening to it.
func (p *process) stop() {
	close(p.over)
	p.kill()
}
