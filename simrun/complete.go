package simrun

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// completionCmd prints a completion script. The scripts call simrun itself, by its hidden
// command "complete", so that they never go out of date.
//
// There is no library for this. Kong has no completion of its own. Its companions, kongplete and the fork kong-completion, are based on
// version 1 of posener/complete, from 2019. The former does not keep up with kong. The latter calls itself half maintained and completes
// only programs in the path, not bin/simrun. Either would add five or more modules to every user's, for the hundred lines below.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

var completionScripts = map[string]string{
	"bash": `# simrun completion for bash: source <(simrun completion bash)
_simrun() {
	local IFS=$'\n'
	COMPREPLY=($("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
	if [ ${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")); fi
}
complete -F _simrun simrun bin/simrun ./simrun
`,
	"zsh": `#compdef simrun
# simrun completion for zsh: source <(simrun completion zsh)
_simrun() {
	local -a candidates
	candidates=("${(@f)$(${words[1]} complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	if [[ -n "${candidates[1]}" ]]; then compadd -a candidates; else _files; fi
}
compdef _simrun simrun
`,
	"fish": `# simrun completion for fish: simrun completion fish | source
function __simrun_complete
	set -l words (commandline -opc) (commandline -ct)
	$words[1] complete -- $words[2..-1] 2>/dev/null
end
complete -c simrun -a '(__simrun_complete)'
`,
}

// Run prints the script.
func (c completionCmd) Run(a *app) error {
	_, err := fmt.Fprint(wording.Data(a.out), completionScripts[c.Shell])
	return err
}

// completeCmd prints the candidates for the next word, one per line; nothing for a file
// name.
type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// Run prints the candidates for the last word.
func (c completeCmd) Run(ctx context.Context, a *app) error {
	parser, err := newParser(ctx, a, &cli{})
	if err != nil {
		return err
	}
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	for _, candidate := range a.candidates(parser.Model.Node, words) {
		if strings.HasPrefix(candidate, last) {
			fmt.Fprintln(a.out, candidate)
		}
	}
	return nil
}

// candidates returns the candidates for the last of the words.
func (a *app) candidates(root *kong.Node, words []string) (names []string) {
	last := words[len(words)-1]
	if len(words) == 1 {
		return visible(root)
	}
	i := slices.IndexFunc(root.Children, func(n *kong.Node) bool { return n.Name == words[0] })
	if i < 0 {
		return nil
	}
	command := root.Children[i]
	if added := a.added(command.Name); added != nil && added.Complete != nil && !strings.HasPrefix(last, "-") {
		return added.Complete(words, a.locks)
	}
	switch previous := words[len(words)-2]; {
	case previous == "--lock":
		return a.lockIDs()
	case previous == "--strategy":
		return explore.StrategyNames()
	case previous == "--store":
		return storeIDs(cell.Stores(a.locks))
	case previous == "--format":
		return formatNames()
	case previous == "--model":
		return kindNames()
	case previous == "--scenario":
		return a.scenarioIDs()
	case strings.HasPrefix(last, "-"):
		return flags(command)
	case (command.Name == runKind || command.Name == checkKind) && len(words) == 2:
		return a.scenarioIDs()
	case previous == "-p" || previous == "--param":
		for _, name := range a.parameterNames(command.Name, words) {
			names = append(names, name+"=")
		}
		return names
	case command.Name == "help" && len(words) == 2:
		return visible(root)
	case command.Name == "completion" && len(words) == 2:
		return []string{"bash", "zsh", "fish"}
	}
	return nil
}

func visible(root *kong.Node) (names []string) {
	for _, n := range root.Children {
		if !n.Hidden {
			names = append(names, n.Name)
		}
	}
	return names
}

func flags(command *kong.Node) (names []string) {
	for _, f := range command.Flags {
		names = append(names, "--"+f.Name)
	}
	return append(names, "--help")
}

func (a *app) scenarioIDs() (ids []string) {
	for _, s := range a.registry().Scenarios {
		ids = append(ids, s.ID)
	}
	return ids
}

func formatNames() (names []string) {
	for _, f := range render.Formats() {
		names = append(names, f.Name)
	}
	return names
}

func (a *app) lockIDs() (ids []string) {
	for _, l := range a.locks {
		ids = append(ids, l.ID)
	}
	return ids
}
