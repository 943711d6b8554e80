// Command client is a client of simrun attach for tests: a lock that is one key of Redis, over a plain connection. Its first
// argument says what it does wrong.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

type order struct {
	ID        int      `json:"id"`
	Do        string   `json:"do"`
	Client    string   `json:"client"`
	Addresses []string `json:"addresses"`
	Name      string   `json:"name"`
	Lease     int      `json:"lease_ms"`
	Wait      int      `json:"wait_ms"`
}

// lock is a lock, or half of one: wrong says what it lacks.
type lock struct {
	order
	wrong string
	conn  net.Conn
	in    *bufio.Reader
	n     int
	held  string
	asked time.Time
}

// do sends a request, and returns its answer. After an error the next one connects again.
func (l *lock) do(words ...string) (answer string, err error) {
	if l.conn == nil {
		if l.conn, err = net.Dial("tcp", l.Addresses[0]); err != nil {
			return "", err
		}
		l.in = bufio.NewReader(l.conn)
	}
	text := fmt.Sprintf("*%d\r\n", len(words))
	for _, w := range words {
		text += fmt.Sprintf("$%d\r\n%s\r\n", len(w), w)
	}
	if _, err = l.conn.Write([]byte(text)); err == nil {
		if answer, err = l.in.ReadString('\n'); err == nil && answer[0] == '$' && answer[1] != '-' {
			answer, err = l.in.ReadString('\n')
		}
	}
	if err != nil {
		l.conn.Close()
		l.conn = nil
	}
	return strings.TrimSpace(answer), err
}

const remove = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"

func (l *lock) acquire(wait int) (bool, error) {
	for end := time.Now().Add(time.Duration(wait) * time.Millisecond); ; time.Sleep(10 * time.Millisecond) {
		l.n++
		token := fmt.Sprintf("%s-%d", l.Client, l.n)
		words := []string{"SET", l.Name, token, "NX", "PX", fmt.Sprint(l.Lease)}
		if l.wrong == "no-lease" || l.wrong == "forgets" {
			words = words[:4]
		}
		l.asked = time.Now()
		answer, err := l.do(words...)
		if err != nil && l.wrong != "forgets" && l.wrong != "no-lease" {
			l.do("EVAL", remove, "1", l.Name, token) // it may have the lock
		}
		if late := time.Since(l.asked) > time.Duration(l.Lease)*time.Millisecond; late && answer == "+OK" && l.wrong == "" {
			l.do("EVAL", remove, "1", l.Name, token)
			return false, nil
		}
		if err != nil || answer == "+OK" {
			l.held = token
			return err == nil, err
		}
		if !time.Now().Before(end) {
			return false, nil
		}
	}
}

func (l *lock) release() (bool, error) {
	if l.wrong == "forgets" { // as redis-py 4.3.4 does
		held := l.held
		l.held = ""
		if held == "" {
			return false, nil
		}
		answer, err := l.do("EVAL", remove, "1", l.Name, held)
		return answer == ":1", err
	}
	if l.wrong == "steals" {
		answer, err := l.do("DEL", l.Name)
		return answer == ":1", err
	}
	answer, err := l.do("EVAL", remove, "1", l.Name, l.held)
	return answer == ":1", err
}

func main() {
	wrong := ""
	if len(os.Args) > 1 {
		wrong = os.Args[1]
	}
	l := &lock{wrong: wrong}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var o order
		if err := json.Unmarshal(in.Bytes(), &o); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		switch o.Do {
		case "end":
			if wrong == "stays" {
				select {}
			}
			return
		case "prepare":
			l.order = o
			ready(wrong)
		default:
			if wrong == "dies" {
				fmt.Fprintln(os.Stderr, "I have had enough")
				os.Exit(7)
			}
			if wrong == "hangs" {
				select {}
			}
			l.carryOut(o)
		}
	}
	if wrong == "stays" {
		select {}
	}
}

func ready(wrong string) {
	switch wrong {
	case "version":
		fmt.Println(`{"ready":true,"protocol":2,"lock":"test"}`)
	case "refuses":
		fmt.Println(`{"ready":false,"protocol":1,"error":"there is no library"}`)
	case "mute":
	case "unready":
		os.Exit(1)
	case "no-lease", "forgets":
		fmt.Println(`{"ready":true,"protocol":1,"lock":"test ` + wrong + `","lease_ms":0}`)
	default:
		fmt.Println(`{"ready":true,"protocol":1,"lock":"test ` + wrong + ` 1.0"}`)
	}
}

func (l *lock) carryOut(o order) {
	var ok bool
	var err error
	switch o.Do {
	case "acquire":
		if ok, err = l.acquire(o.Wait); l.wrong == "greedy" {
			ok = true
		}
	case "release":
		ok, err = l.release()
	case "extend":
		fmt.Printf("{\"id\":%d,\"result\":\"unsupported\"}\n", o.ID)
		return
	}
	result, more := "failed", ""
	if ok {
		result = "ok"
		if o.Do == "acquire" && l.wrong == "late-validity" { // it counts from the answer
			more = fmt.Sprintf(`,"validity_ms":%d`, l.Lease)
		} else if o.Do == "acquire" && l.wrong == "" {
			more = fmt.Sprintf(`,"until_ms":%d`, l.asked.UnixMilli()+int64(l.Lease))
		}
	}
	if err != nil {
		result = "unknown"
	}
	switch l.wrong {
	case "garbage":
		fmt.Println("I have it!")
	case "id":
		o.ID += 10
	case "result":
		result = "yes"
	case "twice":
		fmt.Printf("{\"id\":%d,\"result\":%q%s}\n", o.ID, result, more)
	case "field":
		more = `,"colour":"red"`
	}
	fmt.Printf("{\"id\":%d,\"result\":%q%s}\n", o.ID, result, more)
}
