package real

import (
	"fmt"
	"path"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/lockpick-dev/lockpick/etcd/store/simh2"
	"github.com/lockpick-dev/lockpick/real/confirm"
)

// conversation is a connection of gRPC. A message of a call is a message. So is each other frame: header fields, the end
// of a call and what concerns the connection always pass, in their places.
type conversation struct {
	client, server *simh2.Reader
	calls          map[uint32]*call // by stream
	asked          int
}

// call is a stream.
type call struct {
	method string
	open   []int // the numbers of requests that have not been answered
}

// Converse begins to read a connection.
func (store) Converse() confirm.Conversation {
	return &conversation{client: simh2.NewReader(), server: simh2.NewReader(), calls: map[uint32]*call{}}
}

// Client reads requests.
func (c *conversation) Client(sent []byte) (list []confirm.Message, err error) {
	err = c.client.Read(sent, func(raw []byte, p *simh2.Part) {
		m := confirm.Message{Bytes: raw}
		if p.Method != "" {
			c.calls[p.Stream] = &call{method: p.Method}
		}
		if of := c.calls[p.Stream]; of != nil {
			for _, message := range p.Messages {
				if signature := requested(of.method, message); signature != "" {
					c.asked++
					m.Signature, m.Number = signature, c.asked
					of.open = append(of.open, c.asked)
				}
			}
			if p.Reset {
				m.Signature = givesUp + path.Base(of.method)
			}
		}
		list = append(list, m)
	})
	if err != nil {
		err = fmt.Errorf("what the client sends is no gRPC: %w", err)
	}
	return list, err
}

// Server reads answers, and the events of watches.
func (c *conversation) Server(sent []byte) (list []confirm.Message, err error) {
	err = c.server.Read(sent, func(raw []byte, p *simh2.Part) {
		m := confirm.Message{Bytes: raw}
		if of := c.calls[p.Stream]; of != nil {
			for _, message := range p.Messages {
				of.answer(&m, message)
			}
			if (p.Ends || p.Reset) && len(of.open) > 0 { // an error
				m.Number, m.Failed, of.open = of.open[0], true, nil
			}
		}
		list = append(list, m)
	})
	if err != nil {
		err = fmt.Errorf("what the server sends is no gRPC: %w", err)
	}
	return list, err
}

// answer notes which request a message of the server answers, or the events that a watch reports.
func (c *call) answer(m *confirm.Message, message []byte) {
	if c.method == watchMethod {
		var r pb.WatchResponse
		if decode(message, &r) && !r.Created && !r.Canceled {
			m.Signature = events(&r)
			return
		}
	}
	var lease struct {
		id  int64
		ttl int64
	}
	switch c.method {
	case grantMethod:
		var r pb.LeaseGrantResponse
		_ = decode(message, &r) // what cannot be read grants nothing
		lease.id, lease.ttl = r.ID, r.TTL
	case keepAliveMethod:
		var r pb.LeaseKeepAliveResponse
		_ = decode(message, &r)
		lease.id, lease.ttl = r.ID, r.TTL
	}
	if lease.ttl > 0 {
		m.Session, m.Lives = leaseName(lease.id), time.Duration(lease.ttl)*time.Second
	}
	if len(c.open) > 0 {
		m.Number, c.open = c.open[0], c.open[1:]
	}
}
