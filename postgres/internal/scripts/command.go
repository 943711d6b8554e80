package scripts

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Command is what a session does. In a file it is a line: the number of the session, Do and Text.
type Command struct {
	Session int
	// Do is the letter of a message of the protocol: Q (simple query), P (parse), B (bind), D (describe), E (execute), C
	// (close), H (flush), S (sync), X (terminate). Messages of the extended protocol are sent by the next H or S. Or it is
	// "cancel", which interrupts the session's statement by a cancel request, or "gone", which closes its connection.
	Do string
	// Text is the text of a query, for P with a name before it. For B it has the names of the portal and of the statement and
	// the parameters, for D and C the kind, S or P, and the name, for E the name and the largest number of rows. The name "-" is
	// the empty one, and the parameter "\N" is NULL. The number of another session in braces is that of its process. B with
	// "*" before the text asks for binary results.
	Text string
}

func (c Command) String() string {
	return strings.TrimRight(fmt.Sprintf("%d %s %s", c.Session, c.Do, c.Text), " ")
}

// parse reads a command's line.
func parse(line string) (c Command, err error) {
	parts := strings.SplitN(line, " ", 3)
	if len(parts) < 2 {
		return c, fmt.Errorf("%q is no command: want SESSION DO TEXT", line)
	}
	if c.Session, err = strconv.Atoi(parts[0]); err != nil {
		return c, fmt.Errorf("%q is no command: %w", line, err)
	}
	c.Do = parts[1]
	if len(parts) == 3 {
		c.Text = parts[2]
	}
	return c, nil
}

// Script is a script, with what a real server has answered if it is kept in a file.
type Script struct {
	Sessions int
	Commands []Command
	Answers  []string
}

// String is the script as the lines of a file.
func (s Script) String() string {
	var b strings.Builder
	for _, c := range s.Commands {
		fmt.Fprintln(&b, c)
	}
	return b.String()
}

// Read reads a file: comments, a line for each command, and after an empty line what was answered.
func Read(file string) (s Script, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return s, err
	}
	commands, answers, _ := strings.Cut(string(text), "\n\n")
	for _, line := range strings.Split(strings.TrimSpace(commands), "\n") {
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		c, err := parse(line)
		if err != nil {
			return s, fmt.Errorf("%s: %w", file, err)
		}
		s.Sessions = max(s.Sessions, c.Session+1)
		s.Commands = append(s.Commands, c)
	}
	if answers = strings.TrimRight(answers, "\n"); answers != "" {
		s.Answers = strings.Split(answers, "\n")
	}
	return s, nil
}

// Write writes the file again with other answers.
func Write(file string, answers []string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	commands, _, _ := strings.Cut(string(text), "\n\n")
	return os.WriteFile(file, []byte(strings.TrimRight(commands, "\n")+"\n\n"+strings.Join(answers, "\n")+"\n"), 0o644)
}

// Shrink leaves out commands of a script for as long as it still fails, and returns what is left.
func (s Script) Shrink(fails func(Script) bool) Script {
	for size := len(s.Commands) / 2; size > 0; size /= 2 {
		for at := 0; at < len(s.Commands); {
			less := s
			less.Commands = append(append([]Command{}, s.Commands[:at]...), s.Commands[min(at+size, len(s.Commands)):]...)
			if fails(less) {
				s = less
			} else {
				at += size
			}
		}
	}
	return s
}
