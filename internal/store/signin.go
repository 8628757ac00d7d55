package store

import (
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
)

// signIn is where a connection's credentials come from.
type signIn struct {
	profile string // "" when no profile is named
	sso     bool   // IAM Identity Center
	console bool   // aws login
}

func signInOf(cfg aws.Config, profile string) signIn {
	s := signIn{profile: profile}
	for _, source := range cfg.ConfigSources {
		shared, ok := source.(config.SharedConfig)
		if !ok {
			continue
		}
		for role := &shared; role != nil; role = role.Source {
			s.sso = s.sso || role.SSOSessionName != "" || role.SSOStartURL != ""
			s.console = s.console || role.LoginSession != ""
		}
	}
	if s.profile == "" {
		s.profile = os.Getenv("AWS_PROFILE")
	}
	return s
}

// command renews the credentials, nil when no command is known to.
func (s signIn) command() []string {
	var words []string
	switch {
	case s.sso:
		words = []string{"aws", "sso", "login"}
	case s.console:
		words = []string{"aws", "login"}
	default:
		return nil
	}
	if s.profile != "" {
		words = append(words, "--profile", s.profile)
	}
	return words
}

// renew says how to get new credentials.
func (s signIn) renew() string {
	if words := s.command(); words != nil {
		return "run " + strings.Join(words, " ")
	}
	with := ""
	if s.profile != "" {
		with = " --profile " + s.profile
	}
	switch {
	case s.profile != "":
		return "renew the credentials of AWS profile " + s.profile + ", for SSO with aws sso login" + with
	}
	return "get new ones and set AWS_PROFILE, or AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN"
}
