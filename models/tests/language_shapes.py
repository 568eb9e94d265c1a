"""Writes data/language: small configurations of language models, and the shapes of the parameters that
transformers (5.24) makes from them. python3 language_shapes.py"""
import json
import pathlib

import torch
from transformers import AutoModelForCausalLM
from transformers import models as m

SMALL = dict(vocab_size=320, hidden_size=64, intermediate_size=96, num_hidden_layers=4, num_attention_heads=8,
             num_key_value_heads=2, max_position_embeddings=256)
EXPERTS = dict(moe_intermediate_size=48, num_experts_per_tok=2)
LATENT = dict(kv_lora_rank=32, qk_rope_head_dim=8, qk_nope_head_dim=16, v_head_dim=16, first_k_dense_replace=1,
              **{**SMALL, "num_key_value_heads": 8}, **EXPERTS)


def small(**changes):
    return {**SMALL, **changes}


CONFIGS = {
    "llama": m.llama.LlamaConfig(**SMALL),
    "llama_biased_tied": m.llama.LlamaConfig(**small(attention_bias=True, mlp_bias=True, tie_word_embeddings=True)),
    "qwen2": m.qwen2.Qwen2Config(**SMALL),
    "qwen3": m.qwen3.Qwen3Config(**small(head_dim=32)),
    "qwen2_moe": m.qwen2_moe.Qwen2MoeConfig(**small(num_experts=6, shared_expert_intermediate_size=80, **EXPERTS)),
    "qwen3_moe": m.qwen3_moe.Qwen3MoeConfig(**small(num_experts=6, head_dim=32, decoder_sparse_step=2, **EXPERTS)),
    "mistral": m.mistral.MistralConfig(**small(sliding_window=128)),
    "mixtral": m.mixtral.MixtralConfig(**small(num_local_experts=4, num_experts_per_tok=2)),
    "gemma2": m.gemma2.Gemma2Config(**small(head_dim=16)),
    "gemma3": m.gemma3.Gemma3TextConfig(**small(num_hidden_layers=7, head_dim=16)),
    "gemma4": m.gemma4.Gemma4TextConfig(**small(num_hidden_layers=12, head_dim=16, global_head_dim=32,
                                                hidden_size_per_layer_input=16, vocab_size_per_layer_input=320,
                                                num_kv_shared_layers=4, use_double_wide_mlp=True)),
    "gemma4_moe": m.gemma4.Gemma4TextConfig(**small(num_hidden_layers=6, head_dim=16, global_head_dim=32,
                                                    hidden_size_per_layer_input=0, attention_k_eq_v=True,
                                                    num_global_key_value_heads=1, enable_moe_block=True,
                                                    num_experts=6, top_k_experts=2, moe_intermediate_size=48)),
    "phi3": m.phi3.Phi3Config(**small(pad_token_id=0, partial_rotary_factor=0.5)),
    "gpt_oss": m.gpt_oss.GptOssConfig(**small(head_dim=16, num_local_experts=6, num_experts_per_tok=2)),
    "deepseek_v2": m.deepseek_v2.DeepseekV2Config(q_lora_rank=None, n_routed_experts=6, n_shared_experts=2, head_dim=8,
                                                  n_group=1, topk_group=1, **LATENT),
    "deepseek_v3": m.deepseek_v3.DeepseekV3Config(q_lora_rank=24, n_routed_experts=8, n_shared_experts=1, n_group=2,
                                                  topk_group=1, **LATENT),
}

folder = pathlib.Path(__file__).parent / "data/language"
folder.mkdir(exist_ok=True)
for name, config in CONFIGS.items():
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    kept = {key: value for key, value in config.to_dict().items()
            if value is not None and not key.startswith(("_", "transformers", "torch", "dtype", "id2label", "label2id"))}
    (folder / f"{name}.json").write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    lines = [f"{key}\t{'x'.join(map(str, value.shape))}\n" for key, value in model.named_parameters()]
    (folder / f"{name}.tsv").write_text("parameter\tshape\n" + "".join(lines))
