"""A training step of a PyTorch model, as it is usually written; for profile_pytorch.py."""

from profile_common import UserError

# Of fp16's losses. A constant: a scaler that looks for overflows asks the GPU in every step.
LOSS_SCALE = 1024.0
LEARNING_RATE = 1e-3
MOMENTUM = 0.9


def make_step(torch, model, inputs, arguments, wrap=None):
    """A function that does one step: forward, cross entropy of the first output against random
    classes, backward, and the update of fp32 parameters; its value is the loss. fp16 and bf16 are
    mixed precision (torch.autocast). `wrap` makes of the model on its device what is called."""
    device = torch.device(arguments.device)
    model = model.train().to(device=device)
    placed = [value.to(device=device) for value in inputs]
    if arguments.channels_last:
        model = model.to(memory_format=torch.channels_last)
        placed = [value.contiguous(memory_format=torch.channels_last) if value.dim() == 4 else value
                  for value in placed]
    half = {"fp16": torch.float16, "bf16": torch.bfloat16}.get(arguments.precision)
    scale = LOSS_SCALE if arguments.precision == "fp16" else 1.0
    optimizer = make_optimizer(torch, model, arguments)
    called = wrap(model) if wrap else model
    if arguments.compile:
        called = torch.compile(called)

    def forward():
        with torch.autocast(arguments.device, dtype=half, enabled=half is not None):
            return first_tensor(torch, called(*placed))

    with torch.no_grad():
        classes = forward().shape
    if len(classes) < 2:
        raise UserError(f"{arguments.model}: --train wants an output of scores, samples first")
    # Scores lie along the last axis, or, as images of scores do, along the second.
    axis = 1 if len(classes) == 4 else len(classes) - 1
    targets = torch.randint(0, classes[axis], (*classes[:axis], *classes[axis + 1:]),
                            device=device).flatten()

    def step():
        optimizer.zero_grad(set_to_none=True)
        scores = forward().float().movedim(axis, -1).flatten(0, -2)
        loss = torch.nn.functional.cross_entropy(scores, targets)
        (loss * scale if scale != 1 else loss).backward()
        if scale != 1:
            torch._foreach_mul_([parameter.grad for parameter in model.parameters()
                                 if parameter.grad is not None], 1 / scale)
        optimizer.step()
        return loss.detach()

    return step


def make_optimizer(torch, model, arguments):
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not parameters:
        raise UserError(f"{arguments.model}: --train: the model has no parameters")
    if arguments.train == "adam":
        return torch.optim.Adam(parameters, lr=LEARNING_RATE, capturable=arguments.device == "cuda")
    return torch.optim.SGD(parameters, lr=LEARNING_RATE, momentum=MOMENTUM)


def first_tensor(torch, result):
    while not isinstance(result, torch.Tensor):
        if isinstance(result, dict):
            result = list(result.values())
        result = result[0]
    return result
