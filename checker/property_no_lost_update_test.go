package checker

import (
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

func TestNoLostUpdate(t *testing.T) {
	judgeCases(t, NoLostUpdate, []testCase{
		{name: "no write", want: model.NotApplicable, write: func(s *script) {
			s.read("c1", s.hold("c1"), 0)
			s.see(model.Observation{Kind: model.ResourceRefused, Node: "resource"})
		}},
		{name: "one at a time", want: model.Holds, write: func(s *script) {
			a := s.hold("c1")
			s.read("c1", a, 0)
			s.write("c1", a, 1)
			b := s.hold("c2")
			s.read("c2", b, 1)
			s.write("c2", b, 2)
			s.read("c2", b, 2)
			s.write("c2", b, 3)
		}},
		{name: "lost", want: model.Violated, write: func(s *script) {
			a := s.granted("c1")
			s.read("c1", a, 0)
			s.world(model.Paused, "c1")
			s.key(model.RecordExpired, a, 0)
			b := s.granted("c2")
			s.read("c2", b, 0)
			s.write("c2", b, 1)
			s.write("c1", a, 1)
		},
			sentence: "c2's update to 1 was lost, because c1 had read 0 and wrote 1 over it: c1's key expired on r1 while c1 was paused.",
			ops:      []int{1, 2, 3, 4, 5, 6}, seqs: []int64{6, 7, 14, 17}},
		{name: "lost to the rightful holder", want: model.Violated, write: func(s *script) {
			a := s.granted("c1")
			s.read("c1", a, 0)
			s.key(model.RecordExpired, a, 0)
			b := s.granted("c2")
			s.read("c2", b, 0)
			s.write("c1", a, 1)
			s.write("c2", b, 1)
		}, sentence: "c1's update to 1 was lost, because c2 had read 0 and wrote 1 over it: c1's key expired on r1."},
		{name: "a write that its client never heard of", want: model.Violated, write: func(s *script) {
			a, b := s.hold("c1"), s.hold("c2")
			s.read("c1", a, 0)
			s.read("c2", b, 0)
			s.accept(s.call("c1", model.Write, a), 1)
			s.write("c2", b, 1)
		}},
		{name: "a write that was refused", want: model.Holds, write: func(s *script) {
			a, b := s.hold("c1"), s.hold("c2")
			s.read("c1", a, 0)
			s.read("c2", b, 0)
			s.failed(s.call("c1", model.Write, a))
			s.write("c2", b, 1)
		}},
		{name: "the latest read counts", want: model.Holds, write: func(s *script) {
			a, b := s.hold("c1"), s.hold("c2")
			s.read("c1", a, 0)
			s.read("c2", b, 0)
			s.write("c2", b, 1)
			s.read("c1", a, 1)
			s.failed(s.call("c1", model.Read, a))
			s.write("c1", a, 2)
		}},
		{name: "reads of another acquisition do not", want: model.Holds, write: func(s *script) {
			a := s.hold("c1")
			s.read("c1", a, 0)
			s.write("c1", a, 1)
			b := s.hold("c1")
			s.write("c1", b, 5) // blind
			s.read("c1", s.hold("c1/1"), 5)
		}},
		{name: "accepted twice", want: model.Holds, write: func(s *script) {
			a := s.hold("c1")
			s.read("c1", a, 0)
			s.accept(s.write("c1", a, 1), 1)
			s.write("c1", a, 2)
		}},
		{name: "accepted twice, around another's", want: model.Violated, write: func(s *script) {
			a := s.hold("c1")
			s.read("c1", a, 0)
			w := s.write("c1", a, 1)
			b := s.hold("c2")
			s.read("c2", b, 1)
			s.write("c2", b, 2)
			s.accept(w, 1)
		}, sentence: "c2's update to 2 was lost, because c1 had read 0 and wrote 1 over it."},
		{name: "over nobody's", want: model.Violated, write: func(s *script) {
			a := s.hold("c1")
			s.read("c1", a, 0)
			s.accept(0, 7)
			s.write("c1", a, 1)
		}, sentence: "An update to 7 was lost, because c1 had read 0 and wrote 1 over it."},
		{name: "a value from nowhere", want: model.Violated, write: func(s *script) {
			a := s.hold("c1")
			s.read("c1", a, 3)
			s.write("c1", a, 4)
		}, sentence: "c1 had read 3 and wrote 4, but the resource held 0."},
	})
}
