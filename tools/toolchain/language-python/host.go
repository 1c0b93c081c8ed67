package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
)

// exitedAfterMessage is what pulumi-language-python-exec returns when the user has already been told what is wrong.
const exitedAfterMessage = 32

// host implements the RPCs of a language host that running programs and plugins needs; code generation, templates
// and packing stay unimplemented, which the engine accepts.
type host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	engineAddress string
	executor      string // pulumi-language-python-exec, from the SDK's Go module
	children      *children
}

func (h *host) Handshake(
	_ context.Context, req *pulumirpc.LanguageHandshakeRequest,
) (*pulumirpc.LanguageHandshakeResponse, error) {
	h.engineAddress = req.EngineAddress
	return &pulumirpc.LanguageHandshakeResponse{}, nil
}

func (h *host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{}, nil
}

// GetRequiredPackages names none: the engine then loads each plugin when the program first uses it, and what a
// program never uses need not be installed.
func (h *host) GetRequiredPackages(
	context.Context, *pulumirpc.GetRequiredPackagesRequest,
) (*pulumirpc.GetRequiredPackagesResponse, error) {
	return &pulumirpc.GetRequiredPackagesResponse{}, nil
}

// GetRequiredPlugins is the older form of GetRequiredPackages.
func (h *host) GetRequiredPlugins(
	context.Context, *pulumirpc.GetRequiredPluginsRequest,
) (*pulumirpc.GetRequiredPluginsResponse, error) {
	return &pulumirpc.GetRequiredPluginsResponse{}, nil
}

// Run runs a Pulumi program to its end. What it prints goes to this host's output, which the engine shows.
func (h *host) Run(ctx context.Context, req *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	python, err := interpreter(req.Info)
	if err != nil {
		return &pulumirpc.RunResponse{Error: err.Error()}, nil
	}
	environment, err := programEnvironment(req)
	if err != nil {
		return nil, err
	}
	code, err := h.children.run(ctx, python, h.programArguments(req), func(cmd *exec.Cmd) {
		cmd.Dir = req.Info.ProgramDirectory
		cmd.Env = environment
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	})
	switch {
	case err != nil:
		return nil, status.Errorf(codes.Aborted, "running %s: %v", python, err)
	case code == exitedAfterMessage:
		return &pulumirpc.RunResponse{Bail: true}, nil
	case code != 0:
		return &pulumirpc.RunResponse{Error: fmt.Sprintf("Program exited with non-zero exit code: %d", code)}, nil
	}
	return &pulumirpc.RunResponse{}, nil
}

func (h *host) programArguments(req *pulumirpc.RunRequest) []string {
	args := []string{
		"-u", h.executor,
		"--monitor", req.MonitorAddress,
		"--engine", h.engineAddress,
		"--project", req.Project,
		"--stack", req.Stack,
		"--pwd", req.Pwd,
		"--dry_run", strconv.FormatBool(req.DryRun),
		"--parallel", strconv.Itoa(int(req.Parallel)),
		"--organization", req.Organization,
		"--root_directory", req.Info.RootDirectory,
		req.Info.EntryPoint,
	}
	return append(args, req.Args...)
}

// programEnvironment hands the stack's configuration to the program as the SDK reads it: a JSON object and a JSON list.
func programEnvironment(req *pulumirpc.RunRequest) ([]string, error) {
	config, err := json.Marshal(orEmpty(req.Config))
	if err != nil {
		return nil, err
	}
	secretKeys, err := json.Marshal(append([]string{}, req.ConfigSecretKeys...))
	if err != nil {
		return nil, err
	}
	return append(os.Environ(), "PULUMI_CONFIG="+string(config), "PULUMI_CONFIG_SECRET_KEYS="+string(secretKeys)), nil
}

// orEmpty keeps JSON from turning a missing map into null.
func orEmpty(values map[string]string) map[string]string {
	if values == nil {
		return map[string]string{}
	}
	return values
}

// RunPlugin runs a policy pack or a provider plugin until it ends or the engine closes the stream, and passes on what
// it prints: the engine reads the plugin's port there.
func (h *host) RunPlugin(
	req *pulumirpc.RunPluginRequest, stream pulumirpc.LanguageRuntime_RunPluginServer,
) error {
	python, err := interpreter(req.Info)
	if err != nil {
		return status.Error(codes.FailedPrecondition, err.Error())
	}
	directory := req.Info.ProgramDirectory
	workingDirectory := req.Pwd
	args := append([]string{"-u", directory}, req.Args...)
	if req.Kind == "analyzer" {
		workingDirectory = directory
		args = append(append([]string{"-u", "-m", "pulumi.policy"}, req.Args...), directory)
	}

	out := newPluginOutput(stream)
	code, err := h.children.run(stream.Context(), python, args, func(cmd *exec.Cmd) {
		cmd.Dir = workingDirectory
		cmd.Env = append(os.Environ(), req.Env...)
		cmd.Stdout, cmd.Stderr = out.stdout(), out.stderr()
	})
	if err != nil {
		return status.Errorf(codes.Aborted, "running %s: %v", python, err)
	}
	return out.exit(code)
}

// InstallDependencies installs nothing and says so: the virtual environment belongs to the project's own set-up.
func (h *host) InstallDependencies(
	_ *pulumirpc.InstallDependenciesRequest, stream pulumirpc.LanguageRuntime_InstallDependenciesServer,
) error {
	message := []byte("Python packages come from the virtual environment; run `make setup` to renew it.\n")
	return stream.Send(&pulumirpc.InstallDependenciesResponse{Stdout: message})
}

func (h *host) About(ctx context.Context, req *pulumirpc.AboutRequest) (*pulumirpc.AboutResponse, error) {
	var about struct{ Executable, Version string }
	err := askPython(ctx, req.Info, &about,
		"import json, platform, sys\n"+
			"print(json.dumps({'executable': sys.executable, 'version': platform.python_version()}))")
	return &pulumirpc.AboutResponse{Executable: about.Executable, Version: about.Version}, err
}

// GetProgramDependencies lists all distributions of the environment; direct and transitive ones are not told apart.
func (h *host) GetProgramDependencies(
	ctx context.Context, req *pulumirpc.GetProgramDependenciesRequest,
) (*pulumirpc.GetProgramDependenciesResponse, error) {
	var dependencies []*pulumirpc.DependencyInfo
	err := askPython(ctx, req.Info, &dependencies,
		"import importlib.metadata as m, json\n"+
			"print(json.dumps([{'name': d.name, 'version': d.version} for d in sorted(m.distributions(), key=lambda d: d.name.lower())]))")
	return &pulumirpc.GetProgramDependenciesResponse{Dependencies: dependencies}, err
}

// askPython runs a one-off script with the program's interpreter and decodes the JSON that it prints.
func askPython(ctx context.Context, info *pulumirpc.ProgramInfo, answer any, script string) error {
	python, err := interpreter(info)
	if err != nil {
		return status.Error(codes.FailedPrecondition, err.Error())
	}
	output, err := exec.CommandContext(ctx, python, "-c", script).Output()
	if err != nil {
		return status.Errorf(codes.Internal, "running %s: %v", python, err)
	}
	return json.Unmarshal(output, answer)
}

// interpreter returns the Python of the virtual environment that `runtime.options.virtualenv` names, relative to the
// folder of the project file, or the `python3` of PATH where the option is not set.
func interpreter(info *pulumirpc.ProgramInfo) (string, error) {
	virtualenv := info.GetOptions().GetFields()["virtualenv"].GetStringValue()
	if virtualenv == "" {
		return systemPython()
	}
	if !filepath.IsAbs(virtualenv) {
		virtualenv = filepath.Join(info.RootDirectory, virtualenv)
	}
	python := filepath.Join(virtualenv, "bin", "python")
	if _, err := os.Stat(python); err != nil {
		return "", fmt.Errorf("the virtual environment %s has no bin/python: run `make setup`", virtualenv)
	}
	return python, nil
}

func systemPython() (string, error) {
	python, err := exec.LookPath("python3")
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("no python3 on PATH (%s), and no runtime.options.virtualenv",
			strings.ReplaceAll(os.Getenv("PATH"), ":", " "))
	}
	return python, err
}
