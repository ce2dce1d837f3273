package main

import (
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/identity"
)

// speaker is who somebody at the command line is, and in which role they speak.
type speaker struct {
	as   string // the identity: recorded and compared
	name string // what they are called where they are shown; decides nothing
	role string
}

func (p *speaker) add(m *Main, flags *pflag.FlagSet, who, role string) {
	flags.StringVar(&p.as, "as", m.user(), who+" (default $USER)")
	flags.StringVar(&p.name, "name", m.Getenv("FERMATA_NAME"), "what that person is called where they are shown: a `name` (default $FERMATA_NAME)")
	flags.StringVar(&p.role, "role", m.Getenv("FERMATA_ROLE"), role)
}

// options say who speaks, to the runtime.
func (p *speaker) options() []fermata.AnswerOption {
	return []fermata.AnswerOption{fermata.AsPerson(fermata.Person{ID: p.as, Name: p.name}), fermata.AsRole(p.role)}
}

// String is how the person is shown.
func (p *speaker) String() string { return identity.Shown(p.as, p.name) }

// holder is a speaker who may have the resume token of a question (law H5).
type holder struct {
	speaker
	tokenFile string
}

func (p *holder) add(m *Main, flags *pflag.FlagSet, who string) {
	p.speaker.add(m, flags, who, "in which `role`")
	flags.StringVar(&p.tokenFile, "token-file", "", tokenFileUsage)
}

// tokenFileUsage says where a resume token is taken from.
const tokenFileUsage = "a `file` with the question's resume token; - is standard input (default $" + tokenVariable + ")"

// options say who speaks, with the token. It is never an argument: those are shown to every user of the machine.
func (p *holder) options(m *Main) ([]fermata.AnswerOption, error) {
	token := m.token
	if p.tokenFile != "" {
		data, err := m.readFile(p.tokenFile)
		if err != nil {
			return nil, err
		}
		if token = strings.TrimSpace(string(data)); token == "" {
			return nil, usagef("--token-file %s: expected a resume token, found nothing", p.tokenFile)
		}
	}
	opts := p.speaker.options()
	if token != "" {
		opts = append(opts, fermata.WithToken(token))
	}
	return opts, nil
}

// tokenVariable is the variable of the environment with a resume token.
const tokenVariable = "FERMATA_TOKEN" //nolint:gosec // its name, and no token

// takeToken reads the resume token of the environment, and takes it away: programs that recipes run are not given it.
func (m *Main) takeToken() {
	m.token = strings.TrimSpace(m.Getenv(tokenVariable))
	_ = os.Unsetenv(tokenVariable)
}

// errTokenShown is what somebody is told who gives a token as an argument.
const errTokenShown = "a resume token is not an argument, which every user of the machine can read: " +
	"use --token-file FILE (- is standard input) or $" + tokenVariable
