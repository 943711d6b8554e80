package simrun

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
)

// The errors of kong in a command line.
var (
	unknownFlag = regexp.MustCompile(`^unknown flag (--?[^,]+)`)
	notOneOf    = regexp.MustCompile(`^(\S+) must be one of "(.*)" but got "(.*)"$`)
	missing     = regexp.MustCompile(`^expected "<([a-z]+)>( \.\.\.)?"$`)
	missingFlag = regexp.MustCompile(`^missing flags: --([a-z-]+)`)
	unexpected  = regexp.MustCompile(`^unexpected argument `)
	noCommand   = regexp.MustCompile(`^expected one of `)
)

// hint adds to an error in the command line what may have been meant, and what exists.
func (a *app) hint(root *kong.Node, args []string, err error) error {
	command, among, word := named(root, args)
	said := err.Error()
	switch {
	case command == nil && (unexpected.MatchString(said) || noCommand.MatchString(said)):
		if word == "" {
			return fmt.Errorf("want a command of %s: there are %s", among.Name, strings.Join(visible(among), ", "))
		}
		if how, known := a.elsewhere[word]; known {
			return fmt.Errorf("there is no command %q: %s", word, how)
		}
		return errors.New(wording.Unknown("command", word, visible(among)))
	case command == nil:
		return err
	}
	if m := unknownFlag.FindStringSubmatch(said); m != nil {
		return a.flagHint(command, args, m[1])
	}
	if m := notOneOf.FindStringSubmatch(said); m != nil {
		return errors.New(wording.Unknown(strings.Trim(m[1], "-<>"), m[3], strings.Split(m[2], `","`)))
	}
	if m := missing.FindStringSubmatch(said); m != nil {
		return fmt.Errorf("want %s; %s help %s says more", a.wanted(command.Name, m[1]), a.name, command.Name)
	}
	if m := missingFlag.FindStringSubmatch(said); m != nil {
		i := slices.IndexFunc(command.Flags, func(f *kong.Flag) bool { return f.Name == m[1] })
		if i >= 0 && command.Flags[i].Enum != "" {
			return fmt.Errorf("%w; there are %s", err, strings.Join(command.Flags[i].EnumSlice(), ", "))
		}
	}
	if unexpected.MatchString(said) {
		return fmt.Errorf("%w; it is %s %s", err, a.name, command.Summary())
	}
	return err
}

// repeated refuses a flag with one value that is given twice: kong takes the last.
func repeated(k *kong.Context) error {
	given := map[*kong.Flag]bool{}
	for _, p := range k.Path {
		f := p.Flag
		if f == nil || f.IsCumulative() || f.IsBool() {
			continue
		}
		if given[f] {
			return fmt.Errorf("--%s is given twice, and takes one value: run the command once for each", f.Name)
		}
		given[f] = true
	}
	return nil
}

// named returns the command that the arguments name, nil if there is none. If only a command with subcommands is named,
// among is that command, and word is the argument in place of a subcommand.
func named(root *kong.Node, args []string) (command, among *kong.Node, word string) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		i := slices.IndexFunc(root.Children, func(n *kong.Node) bool { return n.Name == arg })
		if i < 0 {
			return nil, root, arg
		}
		if root = root.Children[i]; len(root.Children) == 0 {
			return root, root, ""
		}
	}
	return nil, root, ""
}

// flagHint suggests a replacement for a flag: another flag, or a parameter of scenarios that looks like a flag.
func (a *app) flagHint(command *kong.Node, args []string, flag string) error {
	name, value := strings.TrimLeft(flag, "-"), "VALUE"
	for i, arg := range args {
		if before, after, ok := strings.Cut(arg, "="); ok && before == flag {
			value = after
		} else if arg == flag && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			value = args[i+1]
		}
	}
	known := flags(command)
	if slices.Contains(known, "--param") {
		parameters := a.parameterNames(command.Name, args)
		near := wording.Nearest(name, parameters)
		if slices.Contains(parameters, name) {
			near = name
		}
		if near != "" && wording.Nearest(flag, known) == "" || near == name {
			of := "scenarios"
			if a.added(command.Name) != nil {
				of = "the " + command.Name
			}
			return fmt.Errorf("there is no flag %s; %s is a parameter of %s: -p %s", flag, near, of, wording.Shell(near+"="+value))
		}
	}
	return errors.New(wording.Unknown("flag", flag, known))
}

// parameterNames returns the names of the parameters of a command.
func (a *app) parameterNames(command string, args []string) (names []string) {
	if added := a.added(command); added != nil {
		if added.Complete == nil {
			return nil
		}
		for _, name := range added.Complete(append(slices.Clone(args), "-p", ""), a.locks) {
			names = append(names, strings.TrimSuffix(name, "="))
		}
		return names
	}
	for _, store := range cell.Stores(a.locks) {
		for _, p := range a.registry().Settings(store).Describe() {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

// wanted describes an argument of a command, and its possible values.
func (a *app) wanted(command, argument string) string {
	switch {
	case argument == "scenario":
		return "a scenario: " + strings.Join(a.scenarioIDs(), ", ")
	case a.added(command) != nil && a.added(command).Argument != nil:
		return a.added(command).Argument()
	case argument == "shell":
		return "a shell: bash, zsh, fish"
	case argument == "trace":
		return "a trace; " + a.name + " run writes them to " + recorded.DefaultOut + ", and a test of yours to testdata/simrun"
	case argument == "a":
		return "a trace, or two"
	case argument == "history":
		return "the files of histories, or - for standard input; docs/history-format.md has the format"
	case argument == "state":
		return "the state files of shards, or their directories; " + a.name + " run --shard writes them to " + recorded.DefaultOut
	}
	return "a " + argument
}

// helpCmd is another way to ask for --help.
type helpCmd struct {
	Command string `arg:"" optional:"" help:"The command, such as run."`
}

// Run prints the help of the program, or of a command.
func (c helpCmd) Run(ctx context.Context, a *app) error {
	args := []string{"--help"}
	if c.Command != "" {
		parser, err := newParser(ctx, a, &cli{})
		if err != nil {
			return err
		}
		if known := visible(parser.Model.Node); !slices.Contains(known, c.Command) {
			return usageError{errors.New(wording.Unknown("command", c.Command, known))}
		}
		args = []string{c.Command, "--help"}
	}
	if code := a.run(ctx, args); code != exitNone {
		return exitCode(code)
	}
	return nil
}
