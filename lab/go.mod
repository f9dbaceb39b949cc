module github.com/standup-sh/standup/lab

go 1.26.0

require (
	github.com/standup-sh/standup v0.0.0
	go.yaml.in/yaml/v3 v3.0.4
	k8s.io/apimachinery v0.37.2
	k8s.io/client-go v0.37.2
)

replace github.com/standup-sh/standup => ../
