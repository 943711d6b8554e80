package redis

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strings"
	"sync"
)

// link passes on or holds the stream of a node to its follower. The follower's own messages always pass.
type link struct {
	listener net.Listener

	mu          sync.Mutex
	changed     sync.Cond // of held or ended
	held, ended bool
}

// hold begins or ends holding.
func (k *link) hold(on bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held = on
	k.changed.Broadcast()
}

func (k *link) close() {
	_ = k.listener.Close()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ended = true
	k.changed.Broadcast()
}

// state returns whether it holds, and whether it has not ended.
func (k *link) state() (holds, goes bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.held, !k.ended
}

// wait waits until the link no longer holds, or has ended.
func (k *link) wait() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.held && !k.ended {
		k.changed.Wait()
	}
}

func newLink(to string) (*link, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	k := &link{listener: l}
	k.changed.L = &k.mu
	go func() {
		for {
			follower, err := l.Accept()
			if err != nil {
				return
			}
			node, err := net.Dial("tcp", to)
			if err != nil {
				_ = follower.Close()
				continue
			}
			go func() {
				_, _ = io.Copy(node, follower)
				_ = node.Close()
			}()
			go k.carry(node, follower)
		}
	}()
	return k, nil
}

// carry copies a stream. While the link holds, commands that change nothing pass, as long as no held one precedes them.
func (k *link) carry(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	r := bufio.NewReader(from)
	buffer := make([]byte, 64<<10)
	for {
		var command bytes.Buffer
		holds, goes := k.state()
		if !goes {
			return
		}
		if holds {
			if frame(r, &command, 0) != nil {
				return
			}
			if changes(command.Bytes()) {
				k.wait()
			}
		} else {
			n, err := r.Read(buffer)
			if err != nil {
				return
			}
			if holds, _ := k.state(); holds { // it was not when this was waited for: what has arrived begins with a command
				r = bufio.NewReader(io.MultiReader(bytes.NewReader(bytes.Clone(buffer[:n])), r))
				continue
			}
			command.Write(buffer[:n])
		}
		if _, err := to.Write(command.Bytes()); err != nil {
			return
		}
	}
}

// changes reports whether a command of the replication stream changes data.
func changes(command []byte) bool {
	list := words(command)
	if len(list) == 0 {
		return false
	}
	switch strings.ToUpper(list[0]) {
	case "PING", "REPLCONF":
		return false
	}
	return true
}
