package simfile

import (
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// file is a file. Its locks stay with it when it is renamed or removed.
type file struct {
	number            int64 // as an inode has one
	verifier, content string
	written           time.Time // by the server's clock
	owner             model.Origin
}

// create makes a file that does not exist. If it exists and has the verifier of the request, an earlier
// try of the request made it, whose answer was lost (RFC 7530, section 16.16, EXCLUSIVE4).
func (s *Server) create(name, verifier, content string, by model.Origin) Answer {
	if f := s.files[name]; f != nil {
		if verifier != "" && f.verifier == verifier {
			return Answer{Status: OK}
		}
		return Answer{Status: Exist}
	}
	s.add(name, verifier, content, by)
	return Answer{Status: OK}
}

// add adds a file.
func (s *Server) add(name, verifier, content string, by model.Origin) *file {
	s.numbered++
	f := &file{number: s.numbered, verifier: verifier, content: content, written: s.now(), owner: by}
	s.files[name] = f
	s.observeFile(model.RecordCreated, name, f, by)
	return f
}

func (s *Server) read(name string) Answer {
	f := s.files[name]
	if f == nil {
		return Answer{Status: NoEntry}
	}
	return Answer{Status: OK, Values: []string{f.content}}
}

// write replaces the content of a file.
func (s *Server) write(name, content string, by model.Origin) Answer {
	f := s.files[name]
	if f == nil {
		return Answer{Status: NoEntry}
	}
	old := f.owner
	f.content, f.written, f.owner = content, s.now(), by
	s.Observe(model.Observation{Kind: model.RecordChanged, Key: name, Value: server.Shown(content), Owner: by, OldOwner: old, By: by, Revision: f.number})
	return Answer{Status: OK}
}

func (s *Server) remove(name string, by model.Origin) Answer {
	f := s.files[name]
	if f == nil {
		return Answer{Status: NoEntry}
	}
	delete(s.files, name)
	s.observeFile(model.RecordDeleted, name, f, by)
	return Answer{Status: OK}
}

// rename renames a file, and removes a file that has the new name, in one step.
func (s *Server) rename(from, to string, by model.Origin) Answer {
	f := s.files[from]
	switch {
	case f == nil:
		return Answer{Status: NoEntry}
	case from == to:
		return Answer{Status: OK}
	}
	if s.files[to] != nil {
		s.remove(to, by)
	}
	s.remove(from, by)
	s.files[to] = f
	s.observeFile(model.RecordCreated, to, f, by)
	return Answer{Status: OK}
}

func (s *Server) stat(name string) Answer {
	f := s.files[name]
	if f == nil {
		return Answer{Status: NoEntry}
	}
	return Answer{Status: OK, Values: []string{strconv.FormatInt(f.written.UnixMicro(), 10)}}
}

// observeFile reports that a file was created or removed. Its revision is the file's
// number.
func (s *Server) observeFile(kind model.ObservationKind, name string, f *file, by model.Origin) {
	s.Observe(model.Observation{Kind: kind, Key: name, Value: server.Shown(f.content), Owner: f.owner, By: by, Revision: f.number})
}
