"""PyTorch models by name or from a file, for profile_pytorch.py; their weights are random."""

import contextlib
import importlib.util
import os
import typing

from profile_common import SEED, UserError, load_module, one_line

# Names people use for the default configuration of a transformers model type, and what differs.
TRANSFORMERS = {
    "bert-base": ("bert", {}),
    "bert-base-uncased": ("bert", {}),
    "bert-large": ("bert", {"hidden_size": 1024, "num_hidden_layers": 24,
                            "num_attention_heads": 16, "intermediate_size": 4096}),
    "distilbert-base": ("distilbert", {}),
    "roberta-base": ("roberta", {}),
    "vit-base": ("vit", {}),
}


class Loaded(typing.NamedTuple):
    """A model on the CPU, in fp32."""

    name: str  # for files
    module: typing.Any
    inputs: typing.Callable  # from the batch size to a tuple of tensors
    weights: str = f"random, seed {SEED}"


def load_model(torch, arguments):
    text = arguments.model
    loaders = {"torchvision": load_torchvision, "timm": load_timm,
               "transformers": load_transformers}
    try:
        if is_onnx(text):
            found = load_onnx_file(text, arguments)
        elif text.endswith(".py"):
            found = load_file(torch, text, arguments)
        elif text.partition(":")[0] in loaders:
            library, _, name = text.partition(":")
            found = loaders[library](torch, name, arguments)
        else:
            found = None
            for load in loaders.values():
                found = found or load(torch, text, arguments)
    except UserError:
        raise
    except Exception as error:
        raise UserError(f"{text}: cannot make this model: {one_line(error)}")
    if found is None:
        raise UserError(f"{text}: not a model of torchvision, timm or transformers as installed "
                        "here, nor an ONNX or a Python file")
    return Loaded(*found)


def is_onnx(text):
    return text.endswith(".onnx")


def load_onnx_file(path, arguments):
    if importlib.util.find_spec("onnx") is None:
        raise UserError(f"{path}: the onnx package is missing: install it beside PyTorch")
    from pytorch_onnx import load_onnx
    module, inputs, weights = load_onnx(path, arguments.batch, dict(arguments.dim))
    name = os.path.splitext(os.path.basename(path))[0]
    return name, module, lambda batch: inputs, weights


def optional_import(name):
    if importlib.util.find_spec(name) is None:
        return None
    return importlib.import_module(name)


def load_torchvision(torch, name, arguments):
    torchvision = optional_import("torchvision")
    if torchvision is None or not hasattr(torchvision.models, "list_models"):
        make = getattr(torchvision.models, name, None) if torchvision else None
        if not callable(make):
            return None
        model, size = make(weights=None), 224
    else:
        if name not in torchvision.models.list_models():
            return None
        keywords = {"weights": None}
        size = 224
        with contextlib.suppress(Exception):
            size = torchvision.models.get_model_weights(name).DEFAULT.transforms().crop_size[0]
        if name in ("googlenet", "inception_v3"):
            # Auxiliary classifiers are for training only; init_weights takes minutes.
            keywords.update(aux_logits=False, init_weights=False)
        if name.startswith(("deeplab", "fcn", "lraspp", "fasterrcnn", "maskrcnn", "retinanet",
                            "keypointrcnn", "ssd", "fcos")):
            keywords["weights_backbone"] = None
        model = torchvision.models.get_model(name, **keywords)
    return name, model, images(torch, arguments, 3, size)


def load_timm(torch, name, arguments):
    timm = optional_import("timm")
    if timm is None or not timm.is_model(name):
        return None
    model = timm.create_model(name, pretrained=False)
    channels, height, _ = (getattr(model, "default_cfg", None) or {}).get(
        "input_size", (3, 224, 224))
    return name, model, images(torch, arguments, channels, height)


def load_transformers(torch, name, arguments):
    transformers = optional_import("transformers")
    if transformers is None:
        return None
    if os.path.isfile(os.path.join(name, "config.json")):
        config = transformers.AutoConfig.from_pretrained(name, local_files_only=True)
    else:
        kind, changes = TRANSFORMERS.get(name, (name, {}))
        try:
            config = transformers.AutoConfig.for_model(kind, **changes)
        except ValueError:
            return None
    if getattr(config, "is_encoder_decoder", False):
        raise UserError(f"{name}: encoder and decoder: say what to run in a Python file")
    config.use_cache = False
    keywords = {}
    if arguments.attention:
        keywords["attn_implementation"] = arguments.attention
    model = transformers.AutoModel.from_config(config, **keywords)
    if getattr(model, "main_input_name", "input_ids") == "pixel_values":
        inputs = images(torch, arguments, getattr(config, "num_channels", 3),
                        getattr(config, "image_size", 224))
    else:
        longest = getattr(config, "max_position_embeddings", None) or arguments.sequence
        if arguments.sequence > longest:
            raise UserError(f"--sequence {arguments.sequence}: {name} takes at most {longest}")

        def inputs(batch):
            return (torch.randint(0, config.vocab_size, (batch, arguments.sequence)),)

    return os.path.basename(os.path.normpath(name)), first_output(torch, model), inputs


def first_output(torch, model):
    """A module whose result is the model's first tensor: exporters and tracers need tensors."""

    class FirstOutput(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, value):
            return self.model(value, return_dict=False)[0]

    return FirstOutput()


def load_file(torch, path, arguments):
    if not os.path.isfile(path):
        raise UserError(f"{path}: no such file")
    name = os.path.splitext(os.path.basename(path))[0]
    module = load_module(path)
    if not callable(getattr(module, "model", None)):
        raise UserError(f"{path}: defines no function model()")
    model = module.model()
    if not isinstance(model, torch.nn.Module):
        raise UserError(f"{path}: model() returns no torch.nn.Module")
    if not hasattr(module, "inputs"):
        return name, model, images(torch, arguments, 3, 224)

    def inputs(batch):
        made = module.inputs(batch)
        return (made,) if isinstance(made, torch.Tensor) else tuple(made)

    return name, model, inputs


def images(torch, arguments, channels, size):
    size = arguments.input_size or (size if isinstance(size, int) else size[0])
    return lambda batch: (torch.rand(batch, channels, size, size) * 2 - 1,)
