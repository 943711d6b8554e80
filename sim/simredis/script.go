package simredis

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// The node runs scripts itself, and not by the engine, so that their commands are
// executed like all others: each one's effects are seen, its errors keep their codes
// and its TTLs are right. The engine would also make a Lua state for every EVAL, which
// took half of a run's time.

// script is a Lua script that a node has in its cache.
type script struct {
	hash string
	*program
}

// program is a compiled script.
type program struct {
	code     *lua.FunctionProto
	harmless bool // see harmless
}

// chunk is the name of a script in Redis's errors.
const chunk = "user_script"

// compiled has the code of the scripts that the process has seen, by their
// text. Code is not changed by running it.
var compiled sync.Map

// loadScript enters a script into the node's cache. If the script is wrong, it returns
// the error as reason.
func (n *Node) loadScript(c *conn, source string) (s *script, reason string) {
	hash := sha1Hex(source)
	if s := n.scripts[hash]; s != nil {
		return s, ""
	}
	if strings.HasPrefix(source, "#!") {
		c.unsupported("scripts with flags ('#!lua')")
		return nil, "ERR the simulated Redis does not support scripts with flags ('#!lua')"
	}
	code, known := compiled.Load(source)
	if !known {
		fresh, err := compile(source, chunk)
		if err != nil {
			return nil, "ERR Error compiling script (new function): " + compileError(source, err)
		}
		code, _ = compiled.LoadOrStore(source, &program{fresh, harmless(fresh)})
	}
	s = &script{hash, code.(*program)}
	n.scripts[hash] = s
	return s, ""
}

// compileError returns a compiler's error, in the form in which Redis has them.
func compileError(source string, err error) string {
	var e *parse.Error
	if !errors.As(err, &e) {
		return chunk + ": " + err.Error()
	}
	line, token := e.Pos.Line, e.Token
	if line == parse.EOF {
		line, token = 1+strings.Count(source, "\n"), "<eof>"
	}
	return fmt.Sprintf("%s:%d: %s near '%s'", chunk, line, strings.TrimSpace(e.Message), token)
}

func sha1Hex(s string) string {
	sum := sha1.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}

// eval is EVAL, EVALSHA and their read-only forms.
func (n *Node) eval(r *request) {
	const unknown = "NOSCRIPT No matching script. Please use EVAL."
	byHash := strings.HasPrefix(r.name, "evalsha")
	if byHash && len(r.args[0]) != 2*sha1.Size {
		r.out.WriteError(unknown)
		return
	}
	count, ok := integer(r.args[1])
	rest := r.args[2:]
	switch {
	case !ok:
		r.out.WriteError(errInteger)
		return
	case count > int64(len(rest)):
		r.out.WriteError("ERR Number of keys can't be greater than number of args")
		return
	case count < 0:
		r.out.WriteError("ERR Number of keys can't be negative")
		return
	}
	s, reason := n.scripts[strings.ToLower(r.args[0])], unknown
	if !byHash {
		s, reason = n.loadScript(r.conn, r.args[0])
	}
	if s == nil {
		r.out.WriteError(reason)
		return
	}
	if n.lua == nil {
		n.lua = borrowInterpreter(n)
	}
	n.lua.run(s, r, rest[:count], rest[count:])
}

func (n *Node) scriptLoad(r *request) {
	s, reason := n.loadScript(r.conn, r.args[0])
	if s == nil {
		r.out.WriteError(reason)
		return
	}
	r.out.WriteBulk(s.hash)
}

func (n *Node) scriptExists(r *request) {
	r.out.WriteLen(len(r.args))
	for _, hash := range r.args {
		known := 0
		if n.scripts[strings.ToLower(hash)] != nil {
			known = 1
		}
		r.out.WriteInt(known)
	}
}

func (n *Node) scriptFlush(r *request) {
	if len(r.args) > 1 || len(r.args) == 1 && !isOneOf(r.args[0], "sync", "async") {
		r.out.WriteError("ERR SCRIPT FLUSH only support SYNC|ASYNC option")
		return
	}
	n.scripts = map[string]*script{}
	r.out.WriteOK()
}

// refusedInScript says why a script may not call a command, if so. Reason is what is wrong with the words.
func (n *Node) refusedInScript(i *interpreter, s *spec, reason string, words []string) string {
	foreign := n.unknown(s, words) != ""
	if reason != "" && !foreign {
		i.request.conn.refuseUnknown(s, words)
	}
	switch {
	case foreign:
		return "ERR Unknown Redis command called from script"
	case s != nil && reason != "":
		return "ERR Wrong number of args calling Redis command from script"
	case s == nil:
		return reason
	case s.noScript:
		return "ERR This Redis command is not allowed from script"
	case s.write && i.readOnly:
		return "ERR Write commands are not allowed from read-only scripts."
	case s.write && !n.IsPrimary():
		return errReadOnly
	case s.write && n.lacksReplicas():
		return errNoReplicas
	}
	return n.outOfScript(i.request.conn, s, words[1:])
}

// callFromScript executes a command that a script calls, and returns its reply
// in RESP2, without the minus sign if it is an error.
func (n *Node) callFromScript(i *interpreter, words []string) (reply []byte, failed string) {
	s, reason := find(words)
	if reason = n.refusedInScript(i, s, reason, words); reason != "" {
		if s != nil {
			n.counts.add(s.name, commandCount{rejected: 1})
		}
		return nil, reason
	}
	n.tracks.author = nil
	n.run(newRequest(s, i.request.conn, i.out, words))
	n.tracks.author = n.tracks.executing
	reply = i.out.take()
	if reply[0] == '-' {
		return nil, strings.TrimSuffix(string(reply[1:]), "\r\n")
	}
	return reply, ""
}
