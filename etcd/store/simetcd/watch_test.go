package simetcd

import (
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// told are messages of a watch stream in words.
func told(list []object) string {
	var words []string
	for _, m := range list {
		word := answerText(apis["watch"].grpc, marshalAnswer(m))
		if m["compact_revision"] != nil {
			word += ", compacted"
		}
		words = append(words, word)
	}
	return strings.Join(words, "; ")
}

func marshalAnswer(m object) []byte {
	m["header"].(object)["cluster_id"], m["header"].(object)["member_id"] = "0", "0"
	return watchAnswer.encode(m)
}

// TestWatch: a watch from an earlier revision is told that it has begun, of that with the next
// round, and then of changes as they happen, before whoever makes them hears that they are made.
// There is no progress while it is late. One from a compacted revision is canceled.
func TestWatch(t *testing.T) {
	var c *client
	var stream uint32
	e := run(t, Options{Members: 1}, func(e *clusterTest) {
		create := func(key string, start int64) object {
			m := object{"key": text(key)}
			put(m, "start_revision", start)
			return object{"create_request": m}
		}
		listen := func(d time.Duration) {
			c.until(e.world, d)
			for c.receive(time.Millisecond) {
				continue
			}
			e.note("%v: %s", d, told(c.take(stream)))
		}
		e.client(0, func(_ *sim.Process, mine *client) {
			c = mine
			for _, value := range []string{"1", "2"} {
				_, _ = c.unary("put", putting("a", value))
			}
			c.until(e.world, 20*time.Millisecond)
			stream = c.begin("watch", false, create("a", 2), create("b", 0), object{"progress_request": object{}})
			listen(50 * time.Millisecond)
			listen(150 * time.Millisecond)
			c.write(frame(frameMessage, stream, watchSchema.encode(object{"progress_request": object{}})))
			listen(160 * time.Millisecond)
			_, _ = c.unary("put", putting("b", "3"))
			e.note("put: %s", told(c.take(stream)))
			_, _ = c.unary("compact", object{"revision": "4"})
			c.write(frame(frameMessage, stream, watchSchema.encode(create("a", 3))))
			c.write(frame(frameMessage, stream, watchSchema.encode(object{"cancel_request": object{"watch_id": "1"}})))
			c.write(frame(frameMessage, stream, watchSchema.encode(object{"cancel_request": object{"watch_id": "7"}})))
			listen(350 * time.Millisecond)
			_, _ = c.unary("put", putting("b", "4"))
			c.write(frame(frameReset, stream, nil))
			_, _ = c.unary("put", putting("a", "5"))
			listen(400 * time.Millisecond)
		})
	})
	e.wants("log", e.log, []string{
		"50ms: watch 0 begun, revision 3; watch 1 begun, revision 3",
		"150ms: put a, put a, revision 3",
		"160ms: progress, revision 3",
		"put: put b, revision 4",
		"350ms: watch 2 begun, revision 4; watch 1 ended, revision 4; watch 2 ended, revision 0, compacted",
		"400ms: ",
	})
}
