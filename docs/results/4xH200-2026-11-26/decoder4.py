"""A Llama-like decoder for training: 4 layers, 2048 wide, 16 heads, 8 for keys, gated, 512 tokens, a vocabulary of 32,000."""
import torch
from torch import nn

WIDTH, HEADS, KEY_HEADS, INNER, LAYERS, WORDS, TOKENS = 2048, 16, 8, 5632, 4, 32000, 512
SIZE = WIDTH // HEADS


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


def rotate(x, cos, sin):
    a, b = x[..., : SIZE // 2], x[..., SIZE // 2 :]
    return x * cos + torch.cat((-b, a), -1) * sin


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = Norm(), Norm()
        self.q = nn.Linear(WIDTH, WIDTH, bias=False)
        self.k = nn.Linear(WIDTH, KEY_HEADS * SIZE, bias=False)
        self.v = nn.Linear(WIDTH, KEY_HEADS * SIZE, bias=False)
        self.o = nn.Linear(WIDTH, WIDTH, bias=False)
        self.gate = nn.Linear(WIDTH, INNER, bias=False)
        self.up = nn.Linear(WIDTH, INNER, bias=False)
        self.down = nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, x, cos, sin):
        batch, tokens = x.shape[0], x.shape[1]
        y = self.norm1(x)
        q = self.q(y).view(batch, tokens, HEADS, SIZE).transpose(1, 2)
        k = self.k(y).view(batch, tokens, KEY_HEADS, SIZE).transpose(1, 2)
        v = self.v(y).view(batch, tokens, KEY_HEADS, SIZE).transpose(1, 2)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        k = k.repeat_interleave(HEADS // KEY_HEADS, 1)
        v = v.repeat_interleave(HEADS // KEY_HEADS, 1)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(batch, tokens, WIDTH))
        y = self.norm2(x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = Norm()
        self.head = nn.Linear(WIDTH, WORDS, bias=False)
        angle = torch.outer(torch.arange(TOKENS).float(), 10000 ** (-torch.arange(0, SIZE, 2).float() / SIZE))
        angle = torch.cat((angle, angle), -1)
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x, self.cos, self.sin)
        return self.head(self.norm(x))


def model():
    return Decoder()


def inputs(batch):
    return torch.randint(0, WORDS, (batch, TOKENS))
