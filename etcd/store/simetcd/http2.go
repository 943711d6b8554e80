package simetcd

import (
	"github.com/lockpick-dev/lockpick/etcd/store/simh2"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// HTTP2 is the transport that gRPC's clients use.
func HTTP2(c *sim.ServerConn, server Server) sim.Handler { return simh2.Serve(c, over{server}) }

// over is a server of calls in HTTP/2's streams.
type over struct{ server Server }

func (o over) Open(s *simh2.Stream, method string, metadata map[string]string, t *sim.Task) {
	o.server.Open(h2Stream{s}, method, metadata, t)
}

func (o over) Message(s *simh2.Stream, message []byte, t *sim.Task) {
	o.server.Message(h2Stream{s}, message, t)
}

func (o over) HalfClose(s *simh2.Stream, t *sim.Task) { o.server.HalfClose(h2Stream{s}, t) }

func (o over) Reset(s *simh2.Stream) { o.server.Reset(h2Stream{s}) }

// h2Stream is a call in a stream of HTTP/2.
type h2Stream struct{ *simh2.Stream }

// Refuse fails the run.
func (s h2Stream) Refuse(t *sim.Task, what string) { s.Conn().Refuse(t, what) }

// Origin returns the client and the connection.
func (s h2Stream) Origin() model.Origin {
	return model.Origin{Client: s.Conn().Client().Name(), Conn: s.Conn().ID()}
}
