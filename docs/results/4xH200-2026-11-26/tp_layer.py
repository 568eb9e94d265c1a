"""One decoder layer of Llama 3.1 8B's shape, as one of `parallel` GPUs computes it (tensor parallel): columns of the first
products, rows of the second ones, an all-reduce behind each of the two."""
import torch
from torch import nn

WIDTH, HEADS, KEY_HEADS, SIZE, INNER = 4096, 32, 8, 128, 14336


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


class Layer(nn.Module):
    def __init__(self, parallel, tokens, reduce=None):
        super().__init__()
        self.heads, self.key_heads, self.reduce = HEADS // parallel, KEY_HEADS // parallel, reduce
        self.norm1, self.norm2 = Norm(), Norm()
        self.q = nn.Linear(WIDTH, self.heads * SIZE, bias=False)
        self.k = nn.Linear(WIDTH, self.key_heads * SIZE, bias=False)
        self.v = nn.Linear(WIDTH, self.key_heads * SIZE, bias=False)
        self.o = nn.Linear(self.heads * SIZE, WIDTH, bias=False)
        self.gate = nn.Linear(WIDTH, INNER // parallel, bias=False)
        self.up = nn.Linear(WIDTH, INNER // parallel, bias=False)
        self.down = nn.Linear(INNER // parallel, WIDTH, bias=False)
        angle = torch.outer(torch.arange(tokens).float(), 10000 ** (-torch.arange(0, SIZE, 2).float() / SIZE))
        angle = torch.cat((angle, angle), -1)
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)

    def rotate(self, x):
        a, b = x[..., : SIZE // 2], x[..., SIZE // 2:]
        return x * self.cos + torch.cat((-b, a), -1) * self.sin

    def summed(self, x):
        if self.reduce is not None:
            self.reduce(x)
        return x

    def forward(self, x):
        batch, tokens = x.shape[0], x.shape[1]
        y = self.norm1(x)
        q = self.rotate(self.q(y).view(batch, tokens, self.heads, SIZE).transpose(1, 2))
        k = self.rotate(self.k(y).view(batch, tokens, self.key_heads, SIZE).transpose(1, 2))
        v = self.v(y).view(batch, tokens, self.key_heads, SIZE).transpose(1, 2)
        k = k.repeat_interleave(self.heads // self.key_heads, 1)
        v = v.repeat_interleave(self.heads // self.key_heads, 1)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.summed(self.o(y.transpose(1, 2).reshape(batch, tokens, self.heads * SIZE)))
        y = self.norm2(x)
        return x + self.summed(self.down(nn.functional.silu(self.gate(y)) * self.up(y)))
